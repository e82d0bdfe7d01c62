"""The page of every kind of run: whole, loading nothing, and saying what the run says."""

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import pytest
from pydantic import ValidationError

from gate.record.comparison import State
from gate.record.run import RunRecord
from gate.report.escape import visible
from gate.report.page.document import render_page
from gate.report.page.samples import gather_samples
from gate.report.view.headline import plain_first_line
from gate.store.run_folder import dump_run
from gate.values import JsonValue
from tests.golden.hostile import hostile
from tests.golden.runs import runs
from tests.report.page.looking import Found, look
from tests.support.attacks import Attack, attacks, batches
from tests.support.large_run import answered_run
from tests.support.runs import table_of

RUNS = runs()


@cache
def page_of(name: str) -> tuple[str, Found]:
    page = render_page(RUNS[name])
    return page, look(page)


def loads_nothing(found: Found) -> None:
    """Whatever a run holds, there is one style and one script, both ours, and links lead within the page."""
    script, style = (
        resources.files("gate.report.page").joinpath(name).read_text(encoding="utf-8")
        for name in ("page.js", "page.css")
    )
    assert (found.raw["script"], found.raw["style"]) == (script, style)
    assert len(found.of("script")) == len(found.of("style")) == 1
    assert {*dict(found.tags)} & {"img", "iframe", "object", "embed", "link", "form", "base", "audio", "video"} == set()
    for tag, attrs in found.tags:
        assert not any(name.startswith("on") or name in ("src", "style", "srcdoc", "xlink:href") for name in attrs), tag
        assert (attrs.get("href") or "#").startswith("#")
    (policy,) = (one["content"] for one in found.of("meta") if one.get("http-equiv"))
    for text in (script, style):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in (policy or "")
    assert (policy or "").startswith("default-src 'none';")
    assert "unsafe" not in (policy or "")


def well_made(found: Found) -> None:
    """Tags are closed in order, names are unique, and what points to a name finds it."""
    assert (found.crooked, found.open) == ([], [])
    ids = [attrs["id"] for _, attrs in found.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in found.tags:
        for name in ("aria-labelledby", "aria-describedby"):
            assert {*(attrs.get(name) or "").split()} <= {*ids}
        if href := attrs.get("href"):
            assert href[1:] in ids
    names = [tag for tag, _ in found.tags]
    assert names.count("table") == names.count("caption")
    assert names.count("h1") == names.count("main") == 1
    for attrs in found.of("svg"):
        said = attrs.get("aria-label") or attrs.get("aria-labelledby")
        assert attrs.get("aria-hidden") or said or "x" in attrs, attrs


def test_a_page_is_whole_and_says_the_verdict() -> None:
    for name, run in RUNS.items():
        _, found = page_of(name)
        loads_nothing(found)
        well_made(found)
        text = re.sub(r"\s+", "", found.text).casefold()
        first = plain_first_line(run)
        assert re.sub(r"\s+", "", visible(first.partition(": ")[2])).casefold() in text, name
        assert f"exitcode{run.exit_code}" in text, name


def test_a_page_explains_the_shapes_and_marks_that_occur_and_no_others() -> None:
    _, block = page_of("block")
    assert "got worse suspect: it may have got worse no change shown line: 95 % interval" in block.text
    assert "got better" not in block.text and "too few cases" not in block.text
    _, lower = page_of("hold-latency")
    assert "got worse" not in lower.text


def test_many_suites_in_which_nothing_moved_are_one_fold() -> None:
    made = RUNS["several-suites"]
    still, moved = made.suites
    others = [still.model_copy(update={"name": f"area-{n}"}) for n in range(5)]
    page = render_page(made.model_copy(update={"suites": [*others, moved]}))
    fold = "<summary>5 suites without a shown change</summary>"
    assert page.count(fold) == 2
    assert page.index("<bdi>triage</bdi>") < page.index(fold) < page.index("<bdi>area-0</bdi>")
    well_made(look(page))


@pytest.mark.parametrize("batch", [pytest.param(one, id=one[0].kind) for one in batches()[4::11]])
def test_nothing_that_a_run_holds_becomes_more_than_text(batch: tuple[Attack, ...]) -> None:
    found = look(render_page(hostile(tuple(one.encodable for one in batch))))
    loads_nothing(found)
    well_made(found)


def test_a_secret_is_never_on_the_page() -> None:
    secrets = [one for one in attacks() if one.kind == "secrets"]
    page = render_page(hostile(tuple(one.text for one in secrets)))
    assert [one.id for one in secrets if one.core.strip()[:16] in page] == []


def test_a_long_text_in_every_place_is_cut() -> None:
    page = render_page(hostile(("</script><script>alert(1)</script>" + "x" * 200_000,)))
    loads_nothing(look(page))
    assert len(page.encode()) < 1_500_000


def test_many_suites_are_a_page_that_opens() -> None:
    (one,) = RUNS["block"].suites
    overall, *rows = (
        row.model_copy(update={"state": State.NOISE}) for row in (one.quality.overall, *one.quality.slices)
    )
    quality = one.quality.model_copy(update={"overall": overall, "slices": [*rows, *rows]})
    quiet = one.model_copy(update={"cases": [], "quality": quality})
    many = [quiet.model_copy(update={"name": f"suite-{number}"}) for number in range(119)]
    page = render_page(RUNS["block"].model_copy(update={"suites": [*many, one]}))
    assert len(page.encode()) < 3_000_000
    text = " ".join(re.sub(r"<[^>]*>", "", page).split())
    assert "And 40 more; run.json" in text
    assert "Left out: the scorers of 20 suites; run.json" in text
    assert "By scorer in support" in text, "the suite in which something moved comes first"


def test_cases_with_long_names_are_as_many_as_there_is_room_for() -> None:
    run = RUNS["block"]
    case = run.suites[0].cases[0].model_copy(update={"slices": {f"d{n}": "<" * 90 for n in range(8)}})
    cases = [case.model_copy(update={"id": f"{number}{'<' * 95}"}) for number in range(1_500)]
    page = render_page(run.model_copy(update={"suites": [run.suites[0].model_copy(update={"cases": cases})]}))
    assert len(page.encode()) < 4_000_000
    assert "of 1,500 cases, those that changed most" in re.sub(r"<[^>]*>", "", page)


def test_answers_are_left_out_where_there_is_no_room_and_rows_still_lead_to_what_is_there() -> None:
    run, samples = answered_run(24, 12)
    pages = [render_page(run, gather_samples(run, table_of(samples)), limit=limit) for limit in (3_000_000, 100_000, 0)]
    seen, counts = [look(page) for page in pages], []
    for found in seen:
        well_made(found)
        articles, links = len(found.of("article")), [one for one in found.of("a") if "data-open" in one]
        assert len(links) == articles
        counts.append(articles)
    assert counts[0] == 24 > counts[1] > counts[2] == 0
    assert len(pages[1].encode()) < 110_000
    assert f"The answers of {counts[1]} of 24 cases are on this page" in seen[1].text
    assert "on this page" not in seen[0].text


def test_the_colours_are_those_of_the_web_interface() -> None:
    palettes = [
        re.search(r":root \{(.*?)\}", resources.files(package).joinpath(name).read_text(encoding="utf-8"), re.S)
        for package, name in (("gate.report.page", "page.css"), ("gate.web", "static/site.css"))
    ]
    assert palettes[0] and palettes[1] and palettes[0][1] == palettes[1][1]


def test_a_record_with_any_number_that_it_may_hold_gives_a_page() -> None:
    """Every 400th of all forgeries of one value, of three runs."""
    records = (json.loads(dump_run(RUNS[name])) for name in ("block", "new-block", "check-block"))
    forged = (one for record in records for one in _forged(record))
    shown = 0
    for record in itertools.islice(forged, 0, None, 400):
        try:
            run = RunRecord.model_validate_json(json.dumps(record))
        except ValidationError:
            continue
        well_made(look(render_page(run)))
        shown += 1
    assert shown > 5


def _forged(record: JsonValue) -> Iterator[JsonValue]:
    """The record itself, with one value after the other changed."""
    for holder, key in list(_numbers(record)):
        kept = holder[key]
        for value in (0, -1, 1, 1e12, 1e-300, None):
            holder[key] = value
            yield record
        holder[key] = kept


def _numbers(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if inner is None or isinstance(inner, int | float):
            yield value, key
        yield from _numbers(inner)
