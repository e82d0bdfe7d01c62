"""Every link of every page leads to an existing file and heading."""

import re
from functools import cache

from tests.e2e.docs.test_blocks import PAGES, ROOT
from tests.support.docsite.links import Link, anchors, links


def test_every_link_has_a_target() -> None:
    headings = cache(lambda page: anchors(page.read_text(encoding="utf-8")))
    for path in [*PAGES, ROOT / "benchmarks" / "README.md"]:
        for link in links(path.read_text(encoding="utf-8")):
            if link.elsewhere:
                assert re.fullmatch(r"https://[\w-]+(\.[\w-]+)+(/\S*)?|mailto:\S+@\S+", link.path), (path, link)
                continue
            target = (path.parent / link.path).resolve() if link.path else path
            assert target.exists() and ROOT in [target, *target.parents], (path, link)
            if link.anchor and target.suffix == ".md":
                assert link.anchor in headings(target), (path, link)


def test_links_and_anchors_are_found() -> None:
    page = "# A `b` [c](d.md)!\n\n## A b c\n\n[x](e.md#f) `[no](g.md)` [`code`](h.md) ![i](j.png)\n"
    page += "\n```\n# no\n[no](k.md)\n```\n"
    assert links(page) == [Link("d.md", ""), Link("e.md", "f"), Link("h.md", ""), Link("j.png", "")]
    assert anchors(page) == {"a-b-c", "a-b-c-1"}
