"""A product manager's day on a server for a team: a case is written, tried, tagged, and asked of a change.

What the model and the judge say is not to be trusted; axe looks at the pages of jobs.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from gate.store.sql.database import Database
from gate.store.sql.suites import Suites
from gate.web import addresses
from gate.web.jobs.board import Jobs
from gate.web.site import WebSite
from tests.browser.conftest import AXE, served
from tests.support import repository, stores, team_login, web_jobs
from tests.support.command import environment
from tests.support.model_server import Behaviour, ModelServer
from tests.support.web_jobs import judged

FIRST, SECOND = "May I send the lamp back?", "And the broken one?"
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
SHORT, LONG = "Within 30 days.", f"Gladly, within 30 days. {HOSTILE}"
ANSWERED, KNOWS, FORGETS = f"It says when at once {HOSTILE}", "It knows both lamps", "It forgets the broken one"
PROMPT = "prompts/support.md"
CONFIG = """\
version: 1
suites:
  - name: support
    prompt: prompts/support.md
    cases: store:returns
    model: openai:gpt-5-mini
    samples: 1
    slices: [tier]
    scorers:
      - judge: {model: anthropic:claude-haiku-4-5, criteria: Kind and to the point}
"""


def opinion(system: str, user: str) -> str:
    if SECOND not in user:
        return judged(1.0, ANSWERED)
    return judged(0.4, FORGETS) if SHORT in user else judged(0.8, KNOWS)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Its suite has the cases of a suite of the store that nobody has begun yet."""
    behaviour = Behaviour(answer=lambda system, user: SHORT if "brief" in system else LONG, judgement=opinion)
    with ModelServer(behaviour) as models:
        for name, value in web_jobs.environment(models.url).items():
            monkeypatch.setenv(name, value)
        files = {"gate.yaml": CONFIG, PROMPT: "Help them.\n", ".gitignore": ".gate\n"}
        yield repository.make(tmp_path / "shop", files)


@pytest.fixture
def database(postgres: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    with stores.with_tables_on_postgres(postgres) as found:
        monkeypatch.setenv("GATE_DATABASE_URL", found.label)
        yield found


@pytest.fixture
def site(database: Database, repo: Path) -> Iterator[WebSite]:
    """A server for a team, whose proxy has logged an editor in."""
    login = team_login.proxy(editors=("Eve",), address="127.0.0.1")
    with Jobs(repo, lambda: datetime.now(UTC)) as jobs:
        yield replace(team_login.server(database, login), now=jobs.now, jobs=jobs)


@pytest.fixture
def server(site: WebSite) -> Iterator[str]:
    with served(site) as address:
        yield address


def write_a_case_of_two_rounds(page: Page) -> None:
    page.get_by_role("link", name="Create the first suite").click()
    page.get_by_label("Name").fill("returns")
    page.get_by_role("button", name="Create suite").click()
    page.get_by_role("link", name="Create the first case").click()
    page.get_by_label("Name").fill("two-lamps")
    page.get_by_label("User prompt").fill(FIRST)
    page.get_by_role("button", name="Add a round").click()
    page.get_by_label("User prompt").last.fill(SECOND)
    page.get_by_label("Judge criteria").nth(1).fill("Says what becomes of the broken one")
    page.get_by_label("Threshold").last.fill("0.7")


def rounds(page: Page, arm: str) -> list[str]:
    """What the judge said of each round of an answer."""
    found = page.get_by_role("region", name=arm).get_by_role("list", name="judge, round by round")
    return [" ".join(text.split()) for text in found.get_by_role("listitem").all_inner_texts()]


def violations(page: Page) -> list[str]:
    # As a file of a page: the policy of ours lets no script in.
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run({preload: false})")["violations"]
    return [one["id"] for one in found if one["impact"] in ("serious", "critical", "moderate")]


def try_it(page: Page) -> None:
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Try it").click()
    trying = opened.value
    expect(trying.get_by_text("Estimate without cached answers: 4 calls")).to_be_visible()
    trying.get_by_role("button", name="Try it").click()
    expect(trying.get_by_text("Passed")).to_be_visible()
    expect(trying.get_by_label("Answer", exact=True).first).to_have_text(LONG)
    assert rounds(trying, "Answer, sample 1") == [f"Round 1 1.000 {ANSWERED}", f"Round 2 0.800 {KNOWS}"]
    assert (trying.title().count("owned"), trying.locator("img[src=x]").count()) == (0, 0)
    found = {"tried": violations(trying)}
    for address in ("/jobs", "/jobs/new"):
        trying.goto(address)
        found[address] = violations(trying)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    trying.close()
    expect(page.get_by_label("User prompt").last).to_have_value(SECOND)


def save_and_tag(page: Page) -> None:
    page.get_by_role("button", name="Create case").click()
    expect(page.get_by_role("status").first).to_have_text("Created.")
    page.get_by_label("You are here").get_by_role("link", name="returns").click()
    page.get_by_label("Select two-lamps").check()
    page.get_by_label("Slice").fill("tier")
    page.get_by_label("Value").fill("enterprise")
    page.get_by_role("button", name="Set slice").click()
    expect(page.get_by_role("status").first).to_contain_text("1 case changed")


@pytest.mark.threat("web-loads", "job-answers")
def test_a_case_of_two_rounds_from_the_form_to_the_trend(page: Page, repo: Path, database: Database) -> None:
    page.context.set_extra_http_headers({team_login.HEADER: "Eve"})
    page.goto("/")
    write_a_case_of_two_rounds(page)
    try_it(page)
    assert Suites(database).case("returns", "two-lamps") == ()
    save_and_tag(page)
    assert Suites(database).case("returns", "two-lamps")[0].entry == {
        "name": "two-lamps",
        "rounds": [
            {"prompt": FIRST},
            {"prompt": SECOND, "judge_prompt": "Says what becomes of the broken one"},
        ],
        "judge_threshold": 0.7,
        "slices": {"tier": "enterprise"},
    }

    (repo / PROMPT).write_text("Help them, in brief.\n", encoding="utf-8")
    env = {name: os.environ[name] for name in (*web_jobs.environment(""), "GATE_DATABASE_URL") if name in os.environ}
    for command in (["diff", "--base", "main", "--quiet"], ["push", ".gate/last"]):
        # Not in this process: Playwright's event loop runs in it.
        whole = [sys.executable, "-m", "gate", *command]
        ended = subprocess.run(
            whole, cwd=repo, env=environment(repo, env), capture_output=True, text=True, timeout=120, check=False
        )
        assert ended.returncode == 0, ended.stderr

    page.get_by_role("link", name="Runs").click()
    page.get_by_role("row").filter(has_text="support").get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("HOLD")
    assert f"judge: round 2: 0.4: {FORGETS}" in (page.locator(".report").text_content() or "")
    page.get_by_label("Cases", exact=True).get_by_role("link", name="support", exact=True).click()
    expect(page.get_by_role("row").filter(has_text="two-lamps")).to_contain_text("tier=enterprise")
    page.get_by_role("link", name="two-lamps").click()
    for arm, answer, told in (("Baseline", LONG, f"0.800 {KNOWS}"), ("Candidate", SHORT, f"0.400 {FORGETS}")):
        given = page.get_by_role("region", name=f"{arm}, sample 1")
        expect(given.get_by_label("Answer", exact=True)).to_have_text(answer)
        assert rounds(page, f"{arm}, sample 1") == [f"Round 1 1.000 {ANSWERED}", f"Round 2 {told}"]
    page.get_by_role("link", name="Open the case").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("two-lamps")
    seen = page.get_by_role("region", name="Recent runs of this case").get_by_role("link")
    expect(seen).to_have_attribute("href", addresses.case_of_run(1, "support", "two-lamps"))

    page.get_by_role("link", name="Trends").click()
    chart = page.get_by_role("group", name="Mean score of support, overall")
    expect(chart.get_by_label(re.compile(r"^Run 1, .* 0\.700, .*HOLD$"))).to_be_visible()
    page.get_by_label("Slice").select_option("tier=enterprise")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("group", name="Mean score of support, tier=enterprise").locator(".point")).to_have_count(1)
