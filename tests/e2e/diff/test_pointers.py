"""Prompts inside code and settings files: read as data on both sides, and found again after a move."""

from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from gate.record.run import RunRecord
from tests.e2e.diff.example import run
from tests.support import repository
from tests.support.command import Outcome, gate
from tests.support.example import BROKEN, CONFIG, FILES, GOOD, cases
from tests.support.findings import texts

PYTHON = '''\
"""Prompts of the bot."""

import os

CITY = "Graz"
MODEL = os.environ.get("MODEL", "small")


class Support:
    """What the bot says."""

    system = f"""\\
You work in {CITY}.
%s"""
    retries = 3
'''
SCRIPT = """\
import { model } from "./model";

const CITY = `Graz`;
export const prompts = {
  support: {
    system: `You work in ${CITY}.
%s`,
  },
} as const;

export async function POST(request: Request): Promise<Response> {
  return Response.json(await model(prompts.support.system));
}
"""
SETTINGS = """\
agent:
  steps: 3
  system_template: |
    You work in Graz.
    %s
"""
LANGUAGES = [
    ("app/prompts.py", "Support.system", PYTHON, "retries = 3", "retries = 4"),
    ("src/route.ts", "prompts.support.system", SCRIPT, "Promise<Response>", "Promise<unknown>"),
    ("config/default.yaml", "agent.system_template", SETTINGS, "steps: 3", "steps: 4"),
]


def named(prompt: str) -> str:
    return CONFIG.replace("prompts/support.md", prompt)


def filled(text: str, prompt: str) -> str:
    return text.replace("%s", prompt.strip())


def make(folder: Path, path: str, content: str, prompt: str) -> Path:
    return repository.make(
        folder, {**FILES, "evals/support.jsonl": cases(24), "gate.yaml": named(prompt), path: content}
    )


@pytest.mark.parametrize(("path", "name", "text", "old", "new"), LANGUAGES)
def test_a_change_of_the_text_is_tested_and_other_code_is_ignored(
    tmp_path: Path, path: str, name: str, text: str, old: str, new: str
) -> None:
    repo = make(tmp_path, path, filled(text, GOOD), f"{path}::{name}")
    (repo / path).write_text(filled(text, GOOD).replace(old, new))
    outcome = run(repo)
    assert outcome.code == 0
    assert outcome.out.startswith("SKIPPED: the change touches no prompt, model, case or scorer of support")
    (repo / path).write_text(filled(text, BROKEN).replace(old, new))
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    (suite,) = outcome.record.suites
    assert (suite.baseline.path, suite.candidate.path) == (f"{path}::{name}", f"{path}::{name}")
    assert "quality[gold]=0.1" in suite.candidate.prompt[0].text
    report = (repo / ".gate/last/report.md").read_text()
    assert f"{path}::{name}" in report
    assert old not in report and new not in report


SIDES = '''\
SYSTEM = """Help the customer. %s Answer in JSON: {"answer": "..."}"""
USER = """{question}
{input}"""
'''
BOTH = CONFIG.replace("prompt: prompts/support.md", "system: app/p.py::SYSTEM\n    user: app/p.py::USER")


def test_a_suite_names_a_system_and_a_user_message(tmp_path: Path) -> None:
    rows = FILES["evals/support.jsonl"].replace('"slices"', '"vars": {"question": "What is it?"}, "slices"')
    files = {**FILES, "gate.yaml": BOTH, "app/p.py": SIDES % "quality=1.0", "evals/support.jsonl": rows}
    repo = repository.make(tmp_path, files)
    (repo / "app/p.py").write_text(SIDES % "quality=1.0 quality[gold]=0.1")
    record = run(repo).record
    assert record.verdict is Verdict.BLOCK
    texts = [(one.name, one.text) for one in record.suites[0].candidate.prompt]
    assert texts == [
        ("system", 'Help the customer. quality=1.0 quality[gold]=0.1 Answer in JSON: {"answer": "..."}'),
        ("user", "{{ question }}\n{{ input }}"),
    ]
    assert record.suites[0].candidate.path == "app/p.py::SYSTEM + app/p.py::USER"


def test_a_renamed_constant_is_compared_with_its_old_version(tmp_path: Path) -> None:
    text = "First line\nsecond line\nthird line\n"
    old = f'SUPPORT = """{text}quality=1.0"""\nOTHER = "x"\n'
    repo = make(tmp_path, "app/p.py", old, "app/p.py::SUPPORT")
    new = f'OTHER = "x"\nSUPPORT_V2 = """{text}quality=1.0 quality[gold]=0.1"""\n'
    config = (repo / "gate.yaml").read_text()
    faq = config[: config.index("  - name: support")] + config[config.index("  - name: faq") :]
    repository.write(repo, {"app/p.py": new, "gate.yaml": faq})
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert outcome.record.suites == []
    repository.write(repo, {"gate.yaml": config.replace("::SUPPORT", "::SUPPORT_V2")})
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    assert outcome.record.suites[0].candidate.path == "app/p.py::SUPPORT_V2"
    assert "app/p.py::SUPPORT was renamed to app/p.py::SUPPORT_V2; the two are compared." in texts(outcome.record)


def mistake(outcome: Outcome) -> str:
    assert outcome.code == 2, outcome.out
    assert "Traceback" not in outcome.err
    return " ".join(outcome.err.split())


UNREADABLE: tuple[tuple[str | bytes | None, str], ...] = (
    ('SUPORT = "x"\n', "app/p.py has no text named 'SUPPORT' in the working tree hint: did you mean SUPORT?"),
    ("SUPPORT = 'x", "app/p.py:1: is not valid Python"),
    ("SUPPORT = load('x')", "app/p.py:1: 'SUPPORT' cannot be read without running code: it is computed: load('x')"),
    ("SUPPORT = 'a'\nif x:\n    SUPPORT = 'b'", "gets a value on line 1 and on line 3"),
    (b"\x00\x01", "is not a text file"),
    ("SUPPORT = ' '", "app/p.py:1: 'SUPPORT' is empty"),
    ("SUPPORT = " + "-" * 100_000 + "1", "app/p.py: is not valid Python, or too deeply nested"),
    (None, "there is no file 'app/p.py' in the working tree"),
)


def test_unreadable_texts_are_reported_with_their_place(tmp_path: Path) -> None:
    repo = make(tmp_path, "app/p.py", 'SUPPORT = "Help. quality=1.0"\n', "app/p.py::SUPPORT")
    for content, said in UNREADABLE:
        repository.write(repo, {"app/p.py": content})
        assert said in mistake(gate("diff", "--base", "main", cwd=repo))


def test_the_side_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    repo = make(tmp_path, "app/p.py", "SUPPORT = 'x", "app/p.py::SUPPORT")
    repository.write(repo, {"app/p.py": "SUPPORT = 'x quality=1.0'"})
    assert "main:app/p.py:1: is not valid Python" in mistake(gate("diff", "--base", "main", cwd=repo))


def test_a_link_out_of_the_repository_is_refused(tmp_path: Path) -> None:
    repo = make(tmp_path / "repo", "app/p.py", 'SUPPORT = "Help. quality=1.0"\n', "app/p.py::SUPPORT")
    (tmp_path / "secret.py").write_text('SUPPORT = "the secret"\n')
    (repo / "app/p.py").unlink()
    (repo / "app/p.py").symlink_to(tmp_path / "secret.py")
    said = mistake(gate("diff", "--base", "main", cwd=repo))
    assert "app/p.py: is a symbolic link" in said
    assert "the secret" not in said


WRONG_NAMES = (
    ("prompt: app/p.md::X", "is a text inside a file that does not end in .py"),
    ("prompt: 'app/p.py::'", "has no name of a text"),
    ("prompt: app/*.py::X", "is a text inside several files"),
    ("prompt: ../p.py::X", "leaves the repository"),
    ("prompt: a.md\n    system: b.md", "'prompt' cannot be combined with 'system' or 'user' in suites[0]"),
    ("user: b.md", "'system' is missing in suites[0]"),
    ("system: python:a:b", "is not a single text"),
    ("", "'prompt' is missing in suites[0]"),
)


def test_a_wrong_name_is_a_configuration_error(tmp_path: Path) -> None:
    repo = repository.make(tmp_path, FILES)
    for prompt, said in WRONG_NAMES:
        repository.write(repo, {"gate.yaml": CONFIG.replace("prompt: prompts/support.md", prompt)})
        assert said in mistake(gate("validate", cwd=repo))


def test_two_texts_can_be_compared_without_a_configuration(tmp_path: Path) -> None:
    repository.write(tmp_path, {"old.py": f'A = "{GOOD.strip()}"', "new.ts": f"const b = `{BROKEN.strip()}`"})
    repository.write(tmp_path, {"cases.jsonl": FILES["evals/support.jsonl"]})
    more = ("--cases", "cases.jsonl", "--model", "fake:oracle")
    outcome = gate("diff", "old.py::A", "new.ts::b", *more, "--json", cwd=tmp_path)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    outcome = gate("check", "old.py::A", *more, "--json", cwd=tmp_path)
    assert RunRecord.model_validate_json(outcome.out).new[0].candidate.path == "old.py::A"
    absent = mistake(gate("check", "old.py::B", *more, cwd=tmp_path))
    assert "old.py: has no text named 'B'" in absent and "it has A" in absent


def test_placeholders_are_variables_unless_the_suite_says_otherwise(tmp_path: Path) -> None:
    content = 'SUPPORT = "Help {customer} on {today}. quality=1.0"\n'
    repo = make(tmp_path, "app/p.py", content, "app/p.py::SUPPORT")
    said = mistake(gate("validate", cwd=repo))
    assert "'customer' is undefined" in said
    assert "or if it is not a placeholder, set template: false in the suite" in said
    own = named("app/p.py::SUPPORT\n    placeholders: {customer: Ann, today: Monday}")
    for config in (own, named("app/p.py::SUPPORT\n    template: false")):
        repository.write(repo, {"gate.yaml": config})
        assert gate("validate", cwd=repo).code == 0
    repository.write(repo, {"gate.yaml": own})
    text = gate("check", "--json", "--suite", "support", cwd=repo).record.new[0].candidate.prompt[0].text
    assert text == "Help Ann on Monday. quality=1.0"
