"""The visible text of each kind of web page, over a store with the golden runs; one file each in `web/`."""

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

from starlette.testclient import TestClient

from gate.cases.reading import put_of
from gate.cases.stored import Archive, Entry
from gate.record.history import Context
from gate.store.sql.runs import Runs
from gate.store.sql.suites import Authorship, Suites
from gate.web import addresses
from gate.web.rendering import bare_page
from tests.golden.runs import runs
from tests.support import browsing, stores

FOLDER = Path(__file__).parent / "web"
TWO_ROUNDS: Entry = {
    **{"name": "two-rounds", "description": "Asks twice", "slices": {"tier": "pro"}, "judge_threshold": 0.7},
    "rounds": [{"prompt": "Where is my order?", "expected_tools": ["find_order"]}, {"prompt": "And the other one?"}],
}
ONE: Entry = {"id": "refund-1", "input": "May I still send it back?", "expected": "30 days", "slices": {"tier": "free"}}
CHANGED: Entry = {**ONE, "expected": "14 days"}
PAGES: Mapping[str, str] = {
    **{"suites": "/", "suite-new": "/new-suite", "suite": addresses.suite("support")},
    "suite-empty": addresses.suite("empty"),
    "suite-nothing-found": addresses.suite("support", "", q="nothing"),
    "suite-history": addresses.suite("support", "history"),
    "suite-import": addresses.suite("support", "import"),
    "suite-export": addresses.suite("support", "export", version=1, form="csv"),
    "case-new": addresses.new_case("support"),
    "case": addresses.case("support", "two-rounds"),
    "case-archived": addresses.case("support", "old"),
    "case-history": addresses.case("support", "refund-1", "history"),
    **{"runs": "/runs", "runs-nothing-found": "/runs?branch=none", "run-cases": "/runs/1/cases"},
    "run-case": addresses.case_of_run(2, "property", "occupancy-december"),
    "trends": "/trends?suite=support",
    **{"flaky": "/flaky?suite=support", "judges": "/judges?suite=support", "overrides": "/overrides"},
    **{"jobs": "/jobs", "job-new": "/jobs/new", "job-gone": "/jobs/0123456789abcdef"},
    **{"tokens": "/tokens", "audit": "/audit", "not-found": "/nothing", "wrong-filter": "/runs?verdict=GOOD"},
}
EMPTY = {"empty-suites": "/", "empty-runs": "/runs", "empty-trends": "/trends", "empty-flaky": "/flaky"}
WRONG_CASE = {"kind": "agent", "name": "", "rounds.1.prompt": "", "rounds.1.threshold": "2", "rest": "- a list"}
"""As typed in the form of a case."""


_HEADER = re.compile("<a class=.skip.*</header>", re.DOTALL)


class _VisibleText(HTMLParser):
    """A line for each block of text; fields and buttons in brackets."""

    _INLINE = frozenset(
        {
            "a",
            "span",
            "abbr",
            "bdi",
            "td",
            "th",
            "option",
            "code",
            "strong",
            "em",
            "time",
            "label",
            "cite",
            "ins",
            "del",
            "b",
            "i",
        }
    )
    _SILENT = frozenset({"script", "style", "svg", "noscript", "datalist"})

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._text, self._silent = "", 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in self._SILENT:
            self._silent += 1
        elif tag == "input" and given.get("type") not in ("hidden",):
            self._text += f" [{given.get('type') or 'text'}{': ' + shown if (shown := given.get('value')) else ''}]"
        elif tag in ("button", "select", "textarea"):
            self._text += f" [{tag}:" if tag != "button" else " ["
        elif tag not in self._INLINE:
            self._end()

    def handle_endtag(self, tag: str) -> None:
        if tag in self._SILENT:
            self._silent -= 1
        elif tag in ("button", "select", "textarea"):
            self._text = f"{self._text.rstrip(' |')}]"
        elif tag in ("option", "td", "th"):
            self._text = f"{self._text.rstrip()} | "
        elif tag not in self._INLINE:
            self._end()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text += data

    def _end(self) -> None:
        line = " ".join(self._text.split()).strip("| ")
        if line:
            self.lines.append(line)
        self._text = ""


def visible_text(page: str, *, header: bool = False) -> str:
    """What a reader of a page sees.

    Args:
        header: whether the header of the page is part of it; on pages of the server it is the same everywhere.
    """
    reader = _VisibleText()
    reader.feed(page if header else _HEADER.sub("", page))
    reader.handle_starttag("p", [])
    return "\n".join(reader.lines) + "\n"


@contextmanager
def _browser(*, filled: bool) -> Iterator[TestClient]:
    with tempfile.TemporaryDirectory() as folder, stores.with_tables(Path(folder)) as database:
        if filled:
            browsing.add(database, "support", TWO_ROUNDS, ONE, {"id": "old", "input": "Do you sell stamps?"})
            suites = Suites(database)
            suites.change("empty", [], browsing.ANN)
            suites.change("support", [put_of(CHANGED, 1)], Authorship("Bob", browsing.NOW, "edited refund-1"))
            suites.change("support", [Archive("old", 1)], browsing.ANN)
            made = runs()
            for name in ("several-suites", "agents", "judged", "override-refused"):
                where = Context("acme/shop", "topic", "pull_request", 7, "ci")
                Runs(database).add(made[name], (), where, browsing.NOW)
        yield browsing.client(database)


def web_pages() -> dict[str, str]:
    """The text of each page, by the names of their files."""
    with _browser(filled=False) as browser:
        found = {name: browser.get(address).text for name, address in EMPTY.items()}
    with _browser(filled=True) as browser:
        found |= {name: browser.get(address).text for name, address in PAGES.items()}
        case = addresses.case("support", "refund-1")
        form = browsing.filled(browser.get(case).text)
        found["case-wrong"] = browser.post(addresses.new_case("support"), data=WRONG_CASE).text
        stale = {**form, "base": "1", "expected": "7 days", "do": "save"}
        found["case-conflict"] = browser.post(case, data=stale).text
        found["case-saved"] = browser.post(case, data={**form, "expected": "7 days", "do": "save"}).text
        table = {"file": ("cases.csv", b"id,input,expected\nrefund-1,May I?,7 days\nnew,Hi,Hello\n")}
        found["suite-import-preview"] = browser.post(PAGES["suite-import"], files=table).text
        found["token-created"] = re.sub("pgate_[A-Za-z0-9_-]+", "pgate_…", browser.post("/tokens", data=_TOKEN).text)
        found["token-refused"] = browser.post("/tokens", data={**_TOKEN, "scope": "all"}).text
    found["server-error"] = bare_page("failed.html.j2", id="0123456789abcdef")
    return {f"{name}.txt": _steady(visible_text(page)) for name, page in found.items()}


_TOKEN = {"name": "ci", "scope": "runs:write", "days": "90"}


def _steady(text: str) -> str:
    """Without the id of the request."""
    return re.sub(r"(?<=Request )[0-9a-f]{16}", "0123456789abcdef", text)


def write() -> None:
    """Write all files again."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in web_pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
