"""Whatever a suite rests on: if it differs between the refs, or cannot be resolved, the run is not SKIPPED."""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.command import Outcome, gate, git
from tests.support.repository import commit, make

WORD = "Kindly"
"""Stands in every file that a suite rests on, where a model, a judge or a scorer sees it."""
START = 'version: 1\ndefaults: {model: "fake:oracle", samples: 1}\nsuites:\n'
CASES = "".join(
    json.dumps({"id": f"c{n}", "input": f"{WORD} slice=any answer=word{n}", "expected": f"word{n}"}) + "\n"
    for n in range(12)
)
TEXT = f"{WORD} answer. quality=1.0\n"
INPUT = "{{ input }}"
MESSAGES = f'- {{role: system, content: "{WORD} quality=1.0"}}\n- {{role: user, content: "{INPUT}"}}\n'
RUBRIC = f"""\
scale: [1, 5]
threshold: 3
dimensions:
  - {{name: brevity, weight: 1.0, description: {WORD} one., anchors: {{1: Five., 5: One.}}}}
"""
JUDGE = f"{WORD} score {{{{ dimensions | map(attribute='name') | join }}}}."
RUBRIC_SCORER = '[{rubric: {file: evals/rubric.yaml, template: evals/judge.j2, model: "fake:judge"}}]'
OWN_SCORER = f"""\
from pathlib import Path
from evals import words
def score(output, expected):
    data = (Path(__file__).parent / "lists" / "data.txt").read_text()
    return {{"score": 1.0, "reason": "{WORD}" + words.MORE + data}}
"""
PYTHON = f'TONE = "{WORD}."\nclass Texts:\n    system = f"{{TONE}} Answer. quality=1.0"\n'
SCRIPT = f"const tone = `{WORD}.`;\nexport const P = {{ system: `${{tone}} Answer. quality=1.0` }};\n"
VALUE = f"def tone(x):\n    return x\nT = tone('{WORD}')\nP = f'{{T}} quality=1.0'\n"
SCRIPT_VALUE = f"function tone(x) {{ return x; }}\nconst T = tone('{WORD}');\nconst P = `${{T}} quality=1.0`;\n"
BUILT = f'from app import tone\n\ndef build(session):\n    return "{WORD} " + tone.TONE + " quality=1.0"\n'


@dataclass(frozen=True)
class Kind:
    """A kind of suite: its entry, and the files that it rests on beside its cases."""

    entry: str
    files: Mapping[str, str]
    scorers: str = "[contains]"


KINDS = {
    "a file": Kind("prompt: p/a.md", {"p/a.md": TEXT}),
    "a pattern": Kind('prompt: "q/*.md"', {"q/b.md": TEXT}),
    "a path with brackets": Kind('prompt: "p/[locale]/c.md"', {"p/[locale]/c.md": TEXT}),
    "several files": Kind('prompt: "r/[ab]/*.md"', {"r/a/a.md": TEXT, "r/b/b.md": TEXT}),
    "two messages": Kind("system: p/s.md, user: p/u.j2", {"p/s.md": TEXT, "p/u.j2": f"{WORD} {INPUT}"}),
    "an include": Kind(
        "prompt: p/d.j2",
        {
            "p/d.j2": f"{WORD} {{% include 'in/e.j2' %}} {INPUT}",
            "p/in/e.j2": f"{WORD} {{% include 'f.md' %}}",
            "p/in/f.md": TEXT,
        },
    ),
    "a chat file": Kind("prompt: p/g.yaml", {"p/g.yaml": MESSAGES}),
    "GitHub Models": Kind("prompt: p/h.prompt.yml", {"p/h.prompt.yml": f"messages:\n{MESSAGES}"}),
    "settings of GitHub Models": Kind(
        "prompt: p/t.prompt.yml",
        {"p/t.prompt.yml": f"modelParameters: {{stop: {WORD}}}\nmessages:\n- {{role: system, content: quality=1.0}}\n"},
    ),
    "prompty": Kind("prompt: p/i.prompty", {"p/i.prompty": f"---\nname: i\n---\nsystem:\n{TEXT}user:\n{INPUT}\n"}),
    "Python": Kind("prompt: app/k.py::Texts.system", {"app/k.py": PYTHON}),
    "a value in Python": Kind("prompt: app/v.py::P", {"app/v.py": VALUE}),
    "a value in TypeScript": Kind("prompt: app/w.ts::P", {"app/w.ts": SCRIPT_VALUE}),
    "TypeScript": Kind("prompt: app/l.ts::P.system", {"app/l.ts": SCRIPT}),
    "YAML": Kind("prompt: app/m.yaml::bot.system", {"app/m.yaml": f"bot:\n  system: {TEXT}"}),
    "a function": Kind("prompt: python:app.n:build", {"app/n.py": BUILT, "app/tone.py": f'TONE = "{WORD}"\n'}),
    "a rubric": Kind(
        "prompt: p/o.md", {"p/o.md": TEXT, "evals/rubric.yaml": RUBRIC, "evals/judge.j2": JUDGE}, RUBRIC_SCORER
    ),
    "a scorer function": Kind(
        "prompt: p/q.md",
        {
            "p/q.md": TEXT,
            "evals/own.py": OWN_SCORER,
            "evals/words.py": f"MORE = '{WORD}'\n",
            "evals/lists/data.txt": WORD,
        },
        "[{python: evals.own:score}]",
    ),
}


AS_GOOD_AS_EDITED = {
    # An included file and a module may be empty, what a module imports need not be in the repository, and code that is
    # run finds a file behind a link.
    *(("empty", path) for path in ("p/in/e.j2", "p/in/f.md", "evals/words.py", "evals/lists/data.txt")),
    ("deleted", "evals/words.py"),
    *((how, "evals/lists/data.txt") for how in ("deleted", "no text", "a folder", "a link")),
}
SAME = ("a link", "app/tone.py")
LEFT_BY_PATTERN = {(how, path) for how in ("deleted", "a folder", "a link") for path in ("r/a/a.md", "r/b/b.md")}
"""Once merged, the pattern has one file less: red as a change, and no fault afterwards."""


def config(names: list[str]) -> str:
    rows = (
        f"  - {{name: s{number}, {KINDS[name].entry}, cases: evals/c{number}.jsonl, scorers: {KINDS[name].scorers}}}\n"
        for number, name in enumerate(names)
    )
    return START + "".join(rows)


def files_of(names: list[str]) -> dict[str, str]:
    files = {path: text for name in names for path, text in KINDS[name].files.items()}
    return {"README.md": "# Bot\n", **{f"evals/c{number}.jsonl": CASES for number in range(len(names))}, **files}


def move_behind_link(repo: Path, path: str) -> None:
    real = repo / f"{path}.real"
    (repo / path).rename(real)
    (repo / path).symlink_to(os.path.relpath(real, (repo / path).parent))


def as_folder(repo: Path, path: str) -> None:
    (repo / path).unlink()
    (repo / path).mkdir()
    (repo / path / "x.md").write_text("x")


CHANGES: dict[str, Callable[[Path, str], object]] = {
    "edited": lambda repo, path: (repo / path).write_text((repo / path).read_text().replace(WORD, "Please")),
    "deleted": lambda repo, path: (repo / path).unlink(),
    "empty": lambda repo, path: (repo / path).write_text(""),
    "no text": lambda repo, path: (repo / path).write_bytes(b"\xff\xfe\x00" + (repo / path).read_bytes()),
    "a folder": as_folder,
    "a link": move_behind_link,
}


def diff(repo: Path) -> Outcome:
    return gate("diff", "--base", "main", "--head", "change", cwd=repo)


def diff_with_main(repo: Path) -> Outcome:
    return gate("diff", "--base", "main", cwd=repo)


def skipped(outcome: Outcome) -> bool:
    assert "Traceback" not in outcome.err
    return outcome.out.startswith("SKIPPED")


@pytest.mark.threat("not-skipped")
@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=3, unique=True), st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_change_of_anything_that_a_suite_rests_on_is_never_skipped(names: list[str], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = make(Path(folder) / "repo", {"gate.yaml": config(names), **files_of(names)})

        git(repo, "switch", "--quiet", "--create", "change")
        commit(repo, {"README.md": "# Another\n"})
        assert skipped(unrelated := diff(repo)), unrelated.err
        path = data.draw(st.sampled_from(sorted(set(files_of(names)) - {"README.md"})))
        how = data.draw(st.sampled_from(sorted(CHANGES)))
        CHANGES[how](repo, path)
        commit(repo, {})
        outcome = diff(repo)
        usable = how == "edited" or (how, path) in (*AS_GOOD_AS_EDITED, SAME)
        assert skipped(outcome) is ((how, path) == SAME), (path, how)
        assert usable or outcome.code in (2, 3), (path, how, outcome.out, outcome.err)
        # What cannot be read on both sides is no better.
        git(repo, "branch", "--force", "main", "change")
        commit(repo, {"README.md": "# A third\n"})
        outcome = diff(repo)
        assert skipped(outcome) is (usable or (how, path) in LEFT_BY_PATTERN), (path, how, outcome.err)


NO_FILE = {
    "p/*.mdd": "did you mean p/a.md?",
    "p/*.{md,txt}": "braces are not expanded",
    "!p/*.txt": "a pattern cannot exclude files",
    "p/*.md ": "remove the blank",
    "P/*.MD": "upper and lower case count: there is p/a.md",
    "**/hidden.md": "names that start with a dot must be written out: there is .hidden/hidden.md",
    "bot/p/a*.md": "did you mean p/a*.md?",
    "linked/*.md": "linked is a symbolic link, which the gate does not follow",
    "p/missing.md": "there is no such prompt",
    "p/A.md": "upper and lower case count: there is p/a.md",
    "p/caf\u00e9.md": "its accents are other Unicode characters than those of the file: there is 'p/cafe\\u0301.md'",
    "app/k.py::Nothing": "has no text named 'Nothing'",
    "app/none.py::TONE": "there is no file 'app/none.py'",
}


@pytest.mark.parametrize("prompt", NO_FILE)
def test_an_entry_for_which_there_is_no_file_is_an_error_wherever_a_run_begins(tmp_path: Path, prompt: str) -> None:
    files = {
        "p/a.md": TEXT,
        "p/cafe\u0301.md": TEXT,
        ".hidden/hidden.md": TEXT,
        "app/k.py": PYTHON,
        "real/c.md": TEXT,
        "evals/c0.jsonl": CASES,
    }
    good = "  - {name: good, prompt: p/a.md, cases: evals/c0.jsonl, scorers: [contains]}\n"
    bad = f"  - {{name: bad, prompt: {json.dumps(prompt)}, cases: evals/c0.jsonl, scorers: [contains]}}\n"
    repo = make(tmp_path / "repo", {"gate.yaml": START + good + bad, **files})
    (repo / "linked").symlink_to("real")
    commit(repo, {})
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {"README.md": "# Another\n"})
    for command in (["diff", "--base", "main", "--head", "change"], ["check"], ["plan"], ["validate"]):
        outcome = gate(*command, cwd=repo)
        said = " ".join((outcome.err + outcome.out).split())
        assert outcome.code == 2, (command, said)
        assert NO_FILE[prompt] in said, (command, said)


LINKED = {"p/b.md": "../r.md", "p/more": "../real", "p/deep": "../hop"}
BEHIND = {"p/b.md": "r.md", "p/more": "real/c.md", "p/deep": "real/c.md"}


@pytest.mark.parametrize("link", LINKED)
@pytest.mark.parametrize("of_commits", [True, False])
def test_an_edited_file_behind_a_link_that_a_pattern_would_match_is_red(
    tmp_path: Path, link: str, of_commits: bool
) -> None:
    suite = "  - {name: bot, prompt: 'p/**/*.md', cases: c.jsonl, scorers: [contains]}\n"
    files = {"gate.yaml": START + suite, "p/a.md": TEXT, "r.md": TEXT, "real/c.md": TEXT, "c.jsonl": CASES}
    repo = make(tmp_path / "repo", files)
    (repo / "hop").symlink_to("real")
    (repo / link).symlink_to(LINKED[link])
    commit(repo, {})
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {"README.md": "# Another\n", "real/notes.txt": "x"})
    command = ["diff", "--base", "main", *(["--head", "change"] if of_commits else [])]
    assert gate(*command, cwd=repo).code == 0
    commit(repo, {BEHIND[link]: f"{TEXT}Be rude.\n"})
    outcome = gate(*command, cwd=repo)
    said = " ".join(outcome.err.split())
    assert outcome.code == 2 and f"{link}: is a symbolic link whose target the change edits" in said, said


def test_paths_are_not_relative_to_the_configuration(tmp_path: Path) -> None:
    suite = "  - {name: bot, prompt: 'p/*.md', cases: apps/bot/c.jsonl, scorers: [contains]}\n"
    repo = make(
        tmp_path / "repo", {"apps/bot/gate.yaml": START + suite, "apps/bot/p/a.md": TEXT, "apps/bot/c.jsonl": CASES}
    )
    outcome = gate("diff", "--base", "main", "--config", "apps/bot/gate.yaml", cwd=repo)
    assert (outcome.code, "write apps/bot/p/*.md" in " ".join(outcome.err.split())) == (2, True)


def test_an_entry_of_the_base_that_never_tested_anything_is_corrected_or_red(tmp_path: Path) -> None:
    suite = "  - {name: bot, prompt: %s, cases: c.jsonl, scorers: [contains]}\n"
    other = "  - {name: other, prompt: q.md, cases: c.jsonl, scorers: [contains]}\n"
    repo = make(
        tmp_path / "repo",
        {"gate.yaml": START + suite % "'pp/*.md'" + other, "p/a.md": TEXT, "q.md": TEXT, "c.jsonl": CASES},
    )
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {"gate.yaml": START + other})
    outcome = diff(repo)
    assert (outcome.code, "main:gate.yaml:4: suite bot: no file matches 'pp/*.md'" in outcome.err) == (2, True)
    commit(repo, {"gate.yaml": START + suite % "p/a.md" + other})
    outcome = diff(repo)
    assert (outcome.code, skipped(outcome)) == (0, False)


@pytest.mark.threat("prompt-link")
@pytest.mark.parametrize("folder", ["", "prompts/"])
def test_a_prompt_behind_a_link_is_an_error_whatever_its_target_is(tmp_path: Path, folder: str) -> None:
    suite = "  - {name: bot, prompt: prompts/a.md, cases: c.jsonl, scorers: [contains]}\n"
    repo = make(tmp_path / "repo", {"gate.yaml": START + suite, "real/a.md": TEXT, "c.jsonl": CASES})
    if folder:
        (repo / "prompts").mkdir()
        (repo / "prompts/a.md").symlink_to("../real/a.md")
    else:
        (repo / "prompts").symlink_to("real")
    commit(repo, {})
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {"real/a.md": "Be rude. quality=0.1\n"})
    for command in (
        ["diff", "--base", "main", "--head", "change"],
        ["diff", "--base", "main"],
        ["validate"],
        ["check"],
    ):
        outcome = gate(*command, cwd=repo)
        assert (outcome.code, "symbolic link" in outcome.err + outcome.out) == (2, True), command


@pytest.mark.parametrize(("old", "new"), [("8001/v1", "8002/v1"), ("api: openai", "api: anthropic")])
def test_an_edited_server_is_named_and_not_skipped(tmp_path: Path, old: str, new: str) -> None:
    start = "version: 1\nproviders: {own: {api: openai, base_url: 'http://127.0.0.1:8001/v1'}}\n"
    suite = "suites:\n  - {name: bot, prompt: p.md, cases: c.jsonl, model: own:m, scorers: [contains]}\n"
    repo = make(tmp_path / "repo", {"gate.yaml": start + suite, "p.md": TEXT, "c.jsonl": CASES})
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {"gate.yaml": start.replace(old, new) + suite})
    outcome = diff(repo)
    assert (outcome.code, skipped(outcome), "the servers (own." in " ".join(outcome.out.split())) == (0, False, True)


REFERENCES = {
    "a.yaml::bot.system": ("a.yaml", "bot:\n  system: file://p.md\n"),
    "a.yaml": ("a.yaml", "- {role: system, content: 'file://p.md'}\n- {role: user, content: Hi}\n"),
    "a.py::P": ("a.py", "P = 'file://p.md'\n"),
    "a.txt": ("a.txt", "file://p.md\n"),
}


@pytest.mark.parametrize("prompt", REFERENCES)
def test_a_prompt_that_only_names_a_file_is_refused(tmp_path: Path, prompt: str) -> None:
    path, text = REFERENCES[prompt]
    suite = f"  - {{name: bot, prompt: '{prompt}', cases: c.jsonl, scorers: [contains]}}\n"
    repo = make(tmp_path / "repo", {"gate.yaml": START + suite, "p.md": TEXT, "c.jsonl": CASES, path: text})
    outcome = diff_with_main(repo)
    assert (outcome.code, "is the name of a file" in " ".join(outcome.err.split())) == (2, True), outcome.err


PROMPTY = """\
---
name: a
base: b.txt
model: {parameters: {max_tokens: 50}}
parameters: {temperature: 0.1}
configuration: {type: openai}
tools:
  - ${file:t.json}
---
system:
Kindly answer. quality=1.0
user:
{{ input }}
"""
PROMPTY_EDITS = {
    "a parameter": ("a.prompty", "max_tokens: 50", "max_tokens: 60"),
    "a parameter at the top": ("a.prompty", "temperature: 0.1", "temperature: 0.9"),
    "configuration": ("a.prompty", "type: openai", "type: azure"),
    "a file of tools": ("t.json", "one", "two"),
    "its base": ("b.txt", "one", "two"),
    "an unknown setting": ("a.prompty", "name: a", "name: a\nthinking: deep"),
}


@pytest.mark.parametrize("what", PROMPTY_EDITS)
def test_a_change_of_what_a_prompty_file_sends_is_not_skipped(tmp_path: Path, what: str) -> None:
    path, old, new = PROMPTY_EDITS[what]
    suite = "  - {name: bot, prompt: a.prompty, cases: c.jsonl, scorers: [contains]}\n"
    files = {"a.prompty": PROMPTY, "t.json": '{"name": "one"}', "b.txt": "one"}
    repo = make(tmp_path / "repo", {"gate.yaml": START + suite, "c.jsonl": CASES, **files})
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {"a.prompty": PROMPTY.replace("name: a", "name: b")})
    assert skipped(diff(repo))
    commit(repo, {path: files[path].replace(old, new)})
    assert not skipped(diff(repo))


AGENT_FILES = {
    "its program": ("{command: {run: [python, bot/agent.py], files: [data.txt]}}", "bot/agent.py"),
    "its module": ("{python: {function: 'bot.agent:Agent', files: [data.txt]}}", "bot/agent.py"),
    "what its module imports": ("{python: {function: 'bot.agent:Agent', files: [data.txt]}}", "bot/more.py"),
    "what is listed": ("{command: {run: [python, bot/agent.py], files: [data.txt]}}", "data.txt"),
    "its server": (
        "{tools: {servers: {s: {command: [python, bot/agent.py]}}, files: [data.txt]}}",
        "bot/agent.py",
    ),
}


@pytest.mark.parametrize("what", AGENT_FILES)
def test_a_change_of_an_agents_own_files_is_not_skipped(tmp_path: Path, what: str) -> None:
    target, path = AGENT_FILES[what]
    suite = f"  - {{name: bot, prompt: p.md, cases: c.jsonl, scorers: [contains], target: {target}}}\n"
    code = "from bot import more\nclass Agent: pass\n"
    files = {"bot/agent.py": code, "bot/more.py": "A = 1\n", "bot/__init__.py": "", "data.txt": "x\n"}
    repo = make(tmp_path / "repo", {"gate.yaml": START + suite, "p.md": TEXT, "c.jsonl": CASES, **files})
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {"README.md": "# Another\n"})
    assert skipped(diff(repo))
    commit(repo, {path: f"{files[path]}# More.\n"})
    assert not skipped(diff(repo))


def test_each_pattern_of_an_agents_files_matches_something(tmp_path: Path) -> None:
    target = "{command: {run: [python, bot/agent.py], files: ['bot/**', dta.txt]}}"
    suite = f"  - {{name: bot, prompt: p.md, cases: c.jsonl, scorers: [contains], target: {target}}}\n"
    files = {"gate.yaml": START + suite, "p.md": TEXT, "c.jsonl": CASES, "bot/agent.py": "", "data.txt": "x\n"}
    outcome = gate("diff", "--base", "main", cwd=make(tmp_path / "repo", files))
    assert (outcome.code, "depends on dta.txt" in " ".join(outcome.err.split())) == (2, True), outcome.err


SCORER_FILES = {
    "a module beside it": ("import more", {"evals/more.py": WORD}),
    "its package": ("", {"evals/__init__.py": WORD}),
    "found by glob": ("next(Path(__file__).parent.glob('*.txt')).read_text()", {"evals/a.txt": WORD}),
    "a name put together": ("open(f'evals/{NAME}.txt').read()", {"evals/a.txt": WORD}),
    "a path put together": ("Path('evals').joinpath(NAME).read_text()", {"evals/a.txt": WORD}),
    "another ending": ("Path(__file__).with_suffix('.txt').read_text()", {"evals/own.txt": WORD}),
}


@pytest.mark.parametrize("how", SCORER_FILES)
def test_a_change_of_a_file_that_a_scorers_code_uses_is_not_skipped(tmp_path: Path, how: str) -> None:
    line, files = SCORER_FILES[how]
    code = f"from pathlib import Path\nNAME = 'a'\ndef score(output, expected):\n    {line or 'pass'}\n    return 1.0\n"
    suite = "  - {name: bot, prompt: p.md, cases: c.jsonl, scorers: [{python: evals.own:score}]}\n"
    commented = {path: f"# {text}\n" for path, text in files.items()}
    repo = make(
        tmp_path / "repo",
        {"gate.yaml": START + suite, "p.md": TEXT, "c.jsonl": CASES, "evals/own.py": code, **commented},
    )
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {"README.md": "# Another\n"})
    assert skipped(diff(repo))
    commit(repo, {path: f"{text}# More.\n" for path, text in commented.items()})
    assert not skipped(diff(repo))


BINDINGS = {
    "py": {
        "for": "for A in [{0}]:\n    pass\n",
        "with": "with wrap({0}) as A:\n    pass\n",
        "walrus": "print(A := {0})\n",
        "match": "match {0}:\n    case A:\n        pass\n",
        "class": "class A:\n    text = {0}\n",
        "def": "def A():\n    return {0}\n",
        "except": "try:\n    fail({0})\nexcept Error as A:\n    pass\n",
        "global": "def start():\n    global A\n    A = {0}\n",
        "import": "from other import A  # {0}\n",
        "star": "from other import *  # {0}\n",
        "tuple": "A, B = {0}, 1\n",
        "globals": "globals()['A'] = {0}\n",
        "augmented": "A += {0}\n",
    },
    "ts": {
        "if": "if (x) {{ A = {0}; }}\n",
        "try": "try {{ A = {0}; }} catch (e) {{}}\n",
        "function": "function start() {{ A = {0}; }}\n",
        "destructuring": "({{ A }} = {{ A: {0} }});\n",
        "array": "[A] = [{0}];\n",
        "export as": "const B = {0};\nexport {{ B as A }};\n",
        "loop": "for (A of [{0}]) {{}}\n",
        "var": "if (x) {{ var A = {0}; }}\n",
    },
}
PARTS = {
    "py": {
        "spread": "P = {{'a': 'old', **{{'a': {0}}}}}\n",
        "or": "P = {{'a': 'old'}}\nP |= {{'a': {0}}}\n",
        "update": "P = {{'a': 'old'}}\nP.update(a={0})\n",
        "import": "P = {{'a': 'old'}}\nfrom other import P  # {0}\n",
        "key": "P = {{'a': 'old'}}\nP[KEY] = {0}\n",
        "attribute": "class P:\n    a = 'old'\ndef start():\n    P.a = {0}\n",
    },
    "ts": {
        "spread": "const P = {{ a: 'old', ...{{ a: {0} }} }};\n",
        "assign": "const P = {{ a: 'old' }};\nObject.assign(P, {{ a: {0} }});\n",
        "key": "const P = {{ a: 'old' }};\nP[key] = {0};\n",
        "function": "const P = {{ a: 'old' }};\nfunction start() {{ P.a = {0}; }}\n",
    },
}
FIRST = {"py": "A = 'old'\n", "ts": "let A = 'old';\n"}
FORMS = [(ending, "A", FIRST[ending] + form) for ending, forms in BINDINGS.items() for form in forms.values()]
FORMS += [(ending, "P.a", form) for ending, forms in PARTS.items() for form in forms.values()]


@pytest.mark.threat("value-later")
@pytest.mark.parametrize(("ending", "name", "form"), FORMS)
def test_a_name_that_is_given_another_value_later_is_not_read_at_its_first_place(
    tmp_path: Path, ending: str, name: str, form: str
) -> None:
    suite = f"  - {{name: bot, prompt: app/a.{ending}::{name}, cases: c.jsonl, scorers: [contains]}}\n"
    files = {"gate.yaml": START + suite, f"app/a.{ending}": form.format("'before'"), "c.jsonl": CASES}
    repo = make(tmp_path / "repo", files)
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {f"app/a.{ending}": form.format("'after'")})
    outcome = diff(repo)
    assert (outcome.code, f"'{name}'" in outcome.err) == (2, True), outcome.err
