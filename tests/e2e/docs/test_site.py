"""The site builds without warnings, has every page in its navigation, and loads nothing from other hosts."""

import re
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.support.docsite.build import CONFIG, build
from tests.support.docsite.stage import relinked, stage, with_bars, with_math

LOADS = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "use": "href",
    "object": "data",
}


LOADING = re.compile(rf"<({'|'.join(LOADS)})\b[^>]*>")


class Loads(HTMLParser):
    """The files that a page makes the browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if (address := given.get(LOADS.get(tag, ""))) and given.get("rel") not in ("canonical", "prev", "next"):
            self.found.append(address)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return build(tmp_path_factory.mktemp("docs"))


def test_the_site_builds_without_a_warning(built: tuple[Path, str]) -> None:
    site, said = built
    assert "No issues found" in said and "Warning" not in said
    assert (site / "tutorial.html").is_file()


def test_no_page_loads_anything_from_other_hosts(built: tuple[Path, str]) -> None:
    site, _ = built
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        text = page.read_text(encoding="utf-8")
        parser = Loads()
        # Of whole pages it would take long.
        for tag in LOADING.finditer(text):
            parser.feed(f"{tag[0]}</{tag[1]}>")
        assert parser.found
        assert [one for one in parser.found if re.match(r"(?:[a-z]+:)?//", one)] == [], page
        assert "not run:" not in text
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_every_page_is_in_the_navigation(tmp_path: Path) -> None:
    stage(tmp_path / "docs")
    pages = {path.relative_to(tmp_path / "docs").as_posix() for path in (tmp_path / "docs").rglob("*.md")}
    named = list(entries(tomllib.loads(CONFIG.read_text(encoding="utf-8"))["project"]["nav"]))
    assert len(named) == len(set(named))
    assert pages - set(named) == {page for page in pages if re.match(r"decisions/\d", page)}
    assert set(named) <= pages


def entries(nav: object) -> Iterator[str]:
    """The pages in a navigation."""
    if isinstance(nav, str):
        yield nav
    for one in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from entries(one)


def test_links_lead_to_pages_of_the_site() -> None:
    text = "[a](../../SECURITY.md#keys) ![b](../images/b.png) [c](../../gate/x.py) [d](https://e.org) [e](#f)"
    found = relinked(f"{text} [g](../../README.md)\n\n```md\n[a](../../SECURITY.md)\n```\n", "docs/how-to/page.md")
    there = "[a](../security.md#keys) ![b](../images/b.png) c [d](https://e.org) [e](#f) [g](../index.md)"
    assert found == f"{there}\n\n```md\n[a](../../SECURITY.md)\n```\n"
    assert relinked("[a](docs/scorers.md)", "SECURITY.md") == "[a](scorers.md)"
    assert relinked("[a](../dispatcher)", "evals/promptpex/README.md") == "[a](dispatcher.md)"


def test_code_in_a_table_shows_no_backslash() -> None:
    text = "| `{{ x \\| dump }}` | a \\| b |\n\n`a \\| b`\n\n```text\n| `a \\| b` |\n```\n"
    assert with_bars(text) == text.replace("x \\| dump", "x | dump")


def test_formulas_are_mathml_and_prices_are_not() -> None:
    found = with_math("$x_s$ costs `$y` and $3, or $4.\n\n$$\\sqrt{g}$$\n\n```sh\necho $A $B\n```\n")
    assert found.count("<math") == 2 and "<span><math" in found and 'display="block"' in found
    assert "costs `$y` and $3, or $4." in found and "echo $A $B" in found
