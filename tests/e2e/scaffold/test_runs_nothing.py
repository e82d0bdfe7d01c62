"""`gate init`, `gate validate` and every import read a stranger's repository, and run nothing of it."""

import json
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.command import Outcome, gate, git
from tests.support.repository import make, write

CANARY = "canary"
PYTHON = """\
import pathlib
pathlib.Path('{canary}').touch()

def run(*arguments, **named):
    pathlib.Path('{canary}').touch()
    return [{"vars": {"topic": "wheels"}}]

PROMPT = "You help."
get_assert = call_api = generate_tests = get_transform = hook = get_var = run
"""
SHELL = "#!/bin/sh\ntouch {canary}\necho text\n"
SCRIPT = (
    "require('fs').writeFileSync('{canary}', ''); module.exports = () => 'text'; module.exports.run = () => 'text';\n"
)
ESCAPES = (
    "{{ cycler.__init__.__globals__.os.system('touch {canary}') }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ self.__init__.__globals__.__builtins__.open('{canary}', 'w') }}",
    "{{ range.constructor('return process')().mainModule.require('child_process').execSync('touch {canary}') }}",
    "{% include '/etc/hostname' %}",
    "{% import 'evil.py' as evil %}{{ evil.run() }}",
)
TAGS = (
    "!!python/object/apply:os.system ['touch {canary}']",
    "!!python/object/new:os.system ['touch {canary}']",
    "!!python/name:evil.run",
    "!!js/function 'function () { return 1 }'",
)
PROMPTS = (
    *("file://evil.py:run", "evil.py:run", "file://evil.py", "file://./evil.py:run", "file://folder/evil.py:run"),
    *("file://evil.js:run", "evil.js:run", "file://evil.js", "file://evil.mjs:run", "file://evil.ts:run"),
    *("exec:./evil.sh", "exec:python evil.py", "file://evil.sh", "evil.sh", "python:evil:run", "file://*.py"),
)
VALUES = (
    "file://evil.py",
    "file://evil.py:run",
    "file://evil.js",
    "file://evil.sh",
    "exec:./evil.sh",
    "python:evil:run",
)
TOPIC = {"vars": {"topic": "wheels"}, "assert": [{"type": "contains", "value": "o"}]}


def promptfoo(**more: object) -> dict[str, object]:
    return {"prompts": ["Write about {{ topic }}."], "providers": ["openai:gpt-4o-mini"], "tests": [TOPIC], **more}


def configurations() -> Mapping[str, str]:
    """Configurations of promptfoo that name code wherever they can."""
    forms = [{key: named, "label": "x"} for key in ("id", "file", "raw") for named in PROMPTS]
    ways = {"prompts": promptfoo(prompts=[*PROMPTS, *forms]), "labels": promptfoo(prompts=dict.fromkeys(PROMPTS, "x"))}
    ways |= {f"prompt {named}": promptfoo(prompts=[named]) for named in PROMPTS}
    for value in (*VALUES, *ESCAPES):
        kinds = ("python", "javascript", "ruby", "llm-rubric", "contains", "is-json", "webhook")
        options = dict.fromkeys(("transform", "transformVars", "rubricPrompt", "postprocess", "provider"), value)
        case = {
            "vars": {"topic": value, "others": [value]},
            "assert": [{"type": kind, "value": value, "transform": value} for kind in kinds],
            "options": options,
        }
        ways[f"everywhere {value}"] = promptfoo(
            prompts=["Write about {{ topic | evil }}.", f"Write about {{{{ topic }}}}. {value}", "{{ topic }}"],
            providers=[value, {"id": value, "config": {"a": value}}],
            targets=[value],
            tests=[value, {"path": value, "config": {"a": value}}, case, TOPIC],
            scenarios=[value, {"config": [case], "tests": value}],
            defaultTest=case,
            nunjucksFilters={"evil": value},
            extensions=[value],
            env={"A": value},
        )
        ways[f"alone {value}"] = promptfoo(tests=value, defaultTest=value, scenarios=value, providers=value)
    return {way: json.dumps(config) for way, config in ways.items()}


CONFIGURATIONS = configurations()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose every file of code leaves a canary, and whose git runs it, too."""
    canary = str(tmp_path / CANARY)
    code = PYTHON.replace("{canary}", canary)
    names = ("evil.py", "folder/evil.py", "conftest.py", "sitecustomize.py", "yaml.py", "promptfoo.py", "setup.py")
    files = dict.fromkeys(names, code)
    files |= dict.fromkeys(("evil.js", "evil.mjs", "evil.ts"), SCRIPT.replace("{canary}", canary))
    files |= {"evil.sh": SHELL.replace("{canary}", canary), ".gitattributes": "* filter=evil diff=evil merge=evil\n"}
    files |= {".env": f"PYTHONSTARTUP=evil.py\nPYTHONPATH=.\nGIT_SSH_COMMAND=touch {canary}\nBASH_ENV=evil.sh\n"}
    repository = make(tmp_path / "shop", files)
    (repository / "evil.sh").chmod(0o755)
    for hook in ("post-checkout", "post-index-change", "pre-commit", "reference-transaction", "fsmonitor-watchman"):
        place = repository / ".git/hooks" / hook
        place.write_text(SHELL.replace("{canary}", canary))
        place.chmod(place.stat().st_mode | stat.S_IXUSR)
    settings = ("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv")
    settings += ("merge.evil.driver", "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "gpg.program")
    settings += ("credential.helper", "core.askPass", "alias.ls-files", "diff.external", "uploadpack.packObjectsHook")
    with (repository / ".git/config").open("a", encoding="utf-8") as config:
        for name in settings:
            first, _, last = name.rpartition(".")
            head, _, middle = first.partition(".")
            config.write(f"[{head}{f' {json.dumps(middle)}' if middle else ''}]\n\t{last} = {repository}/evil.sh\n")
    assert not (tmp_path / CANARY).exists()
    return repository


def check_no_canary(root: Path, way: str) -> None:
    assert not (root.parent / CANARY).exists(), way


def test_the_canary_is_one(root: Path) -> None:
    for command in ([sys.executable, "evil.py"], ["./evil.sh"], ["git", "status"]):
        subprocess.run(command, cwd=root, check=False, capture_output=True)
        assert (root.parent / CANARY).exists(), command
        (root.parent / CANARY).unlink()


def check_nothing_ran(root: Path, done: Outcome, way: str) -> None:
    assert done.code in (0, 2) and "Traceback" not in done.err, (way, done.err)
    assert not (root.parent / CANARY).exists(), way


def filled(text: str, root: Path) -> str:
    """The text with the path of the canary."""
    return text.replace("{canary}", str(root.parent / CANARY))


@pytest.mark.threat("file-runs")
@pytest.mark.parametrize("way", CONFIGURATIONS)
def test_a_configuration_of_another_tool(root: Path, way: str) -> None:
    write(root, {"promptfooconfig.yaml": filled(CONFIGURATIONS[way], root)})
    check_nothing_ran(root, gate("init", "--prompt", "promptfooconfig.yaml", cwd=root), way)
    check_nothing_ran(root, gate("validate", cwd=root), way)
    check_nothing_ran(root, gate("cases", "convert", "promptfooconfig.yaml", "out.jsonl", cwd=root), way)


@pytest.mark.parametrize("way", ["context_vars", "vars of a script", "text that is a template"])
def test_a_prompt_function_is_read_if_its_text_is_written_down(tmp_path: Path, way: str) -> None:
    functions = {
        "context_vars": ("ask.py", "def ask(context):\n    return f\"About {context['vars']['topic']}.\"\n"),
        "vars of a script": ("ask.js", "function ask({ vars }) { return `About ${vars.topic}.`; }\n"),
        "text that is a template": ("ask.py", "def ask(context):\n    return 'About {{ topic }}.'\n"),
    }
    path, code = functions[way]
    config = promptfoo(prompts=[f"file://{path}:ask"], tests=[TOPIC, {**TOPIC, "vars": {"topic": "spokes"}}])
    root = make(tmp_path / "shop", {"promptfooconfig.yaml": json.dumps(config), path: code})
    done = gate("init", "--prompt", "promptfooconfig.yaml", "--model", "fake:echo", cwd=root)
    assert done.code == 0, done.err
    assert f'prompt: "{path}::ask"' in (root / "gate.yaml").read_text()
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "gate")
    write(root, {path: code.replace("About", "All about")})
    compared = gate("diff", "--base", "main", "--json", "--out", "out", cwd=root)
    rows = [json.loads(line) for line in (root / "out/samples.jsonl").read_text().splitlines()]
    assert {row["reply"]["text"] for row in rows} == {
        *("About wheels.", "About spokes.", "All about wheels.", "All about spokes.")
    }, compared.err


COMPUTED = {
    "a call": "from evil import run\n\ndef ask(context):\n    return run()\n",
    "messages": "def ask(context):\n    return [{'role': 'user', 'content': 'x'}]\n",
    "the whole context": "def ask(context):\n    return f'About {context}.'\n",
    "the provider": "def ask(context):\n    return f\"About {context['provider']['id']}.\"\n",
    "a decorator": "@evil.run\ndef ask(context):\n    return 'About wheels.'\n",
    "no function": "def other():\n    return 'x'\n",
    "no Python": "def ask(:\n",
}


@pytest.mark.parametrize("way", COMPUTED)
def test_a_prompt_function_is_listed_if_its_text_is_computed(tmp_path: Path, way: str) -> None:
    config = promptfoo(prompts=["file://ask.py:ask", "Write about {{ topic }}."])
    root = make(tmp_path / "shop", {"promptfooconfig.yaml": json.dumps(config), "ask.py": COMPUTED[way]})
    done = gate("init", "--prompt", "promptfooconfig.yaml", cwd=root)
    assert done.code == 0, done.err
    assert "ask.py" not in (root / "gate.yaml").read_text()
    lost = (root / "evals/not-converted.md").read_text()
    assert "which is not run" in lost and "python-prompts.md" in lost, lost


GATE_YAML = """\
version: 1
defaults: {model: "fake:echo"}
suites:
  - {name: s, PROMPT, cases: c.jsonl, scorers: [SCORER]MORE}
"""
SUITES = {
    "prompt": {"PROMPT": "prompt: python:evil:run"},
    "prompt in a folder": {"PROMPT": "prompt: python:folder.evil:run"},
    "two messages": {"PROMPT": "system: 'evil.py::PROMPT', user: escape-0.j2"},
    "pointer": {"PROMPT": "prompt: evil.py::run"},
    "scorer": {"SCORER": "{python: 'evil:run'}"},
    "scorer of promptfoo": {"SCORER": "{python: {function: 'evil:get_assert', interface: promptfoo}}"},
    "agent": {"MORE": ", target: {python: 'evil:run'}"},
    "command": {"MORE": ", target: {command: [./evil.sh]}"},
    "mcp": {"MORE": ", target: {tools: {servers: {evil: {command: [./evil.sh]}}}}"},
    **{f"rubric {number}": {"SCORER": f"{{rubric: {{file: tagged-{number}.yaml}}}}"} for number in range(len(TAGS))},
    **{f"chat {number}": {"PROMPT": f"prompt: tagged-{number}.yaml"} for number in range(len(TAGS))},
    **{
        f"judge {number}": {"SCORER": f"{{judge: {{criteria: x, template: escape-{number}.j2}}}}"}
        for number in range(len(ESCAPES))
    },
    **{f"template {number}": {"PROMPT": f"prompt: escape-{number}.j2"} for number in range(len(ESCAPES))},
    **{f"tag {tag}": {"MORE": f", policy: {tag} "} for tag in TAGS},
    **{f"expected {text}": {"SCORER": json.dumps({"contains": {"value": text}})} for text in ESCAPES},
}


@pytest.mark.threat("file-runs")
@pytest.mark.parametrize("way", SUITES)
def test_a_configuration_of_the_gate(root: Path, way: str) -> None:
    text = GATE_YAML
    for name, value in {"PROMPT": "prompt: a.md", "SCORER": "contains", "MORE": "", **SUITES[way]}.items():
        text = text.replace(name, value, 1)
    files = {"gate.yaml": text, "a.md": "You help."}
    files |= {f"escape-{number}.j2": escape for number, escape in enumerate(ESCAPES)}
    files |= {
        f"tagged-{number}.yaml": f"messages: [{{role: user, content: {tag} }}]\n" for number, tag in enumerate(TAGS)
    }
    case = {"id": "1", "input": "x", "expected": "x", "vars": {"session": {"topic": "x"}}}
    write(root, {path: filled(text, root) for path, text in files.items()} | {"c.jsonl": json.dumps(case) + "\n"})
    check_nothing_ran(root, gate("validate", cwd=root), way)
    check_nothing_ran(root, gate("init", "--all", "--config", "other.yaml", "--dry-run", cwd=root), way)
    off = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "filter.evil.clean=", "filter.evil.process=")
    for words in (["add", "--all"], ["commit", "--quiet", "--message", "x"]):
        git(root, *(word for setting in off for word in ("-c", setting)), *words)
    assert not (root.parent / CANARY).exists()
    at_ref = gate("validate", "--ref", "HEAD", cwd=root)
    assert "there is no gate.yaml" not in at_ref.err
    check_nothing_ran(root, at_ref, way)


def case_files() -> Mapping[str, str]:
    case = {"id": "1", "input": "x", "scorers": [{"python": "evil:run"}]}
    files = {"cases.jsonl": json.dumps(case) + "\n"}
    for number, tag in enumerate(TAGS):
        files[f"tag-{number}.yaml"] = f"- {{id: a, input: {tag}}}\n"
        files[f"tag-{number}.prompt.yml"] = f"messages:\n  - {{role: user, content: {tag}}}\ntestData: [{{input: x}}]\n"
        files[f"tag-{number}.prompty"] = f"---\nname: x\nsample: {tag}\n---\nuser:\nHello\n"
    for number, text in enumerate(ESCAPES):
        files[f"escape-{number}.jsonl"] = json.dumps({"id": "a", "input": text, "expected": text}) + "\n"
        files[f"escape-{number}.csv"] = f'input,expected\n"{text.replace(chr(34), chr(39))}",x\n'
        files[f"escape-{number}.prompty"] = f"---\nname: x\n---\nuser:\n{text}\n"
        files[f"prompts/escape-{number}.j2"] = text
    files["file.prompty"] = "---\nname: x\nsample: ${{file:evil.py}}\nmodel: ${{env:HOME}}\n---\nuser:\nHello\n"
    return files


@pytest.mark.threat("file-runs")
@pytest.mark.parametrize("part", range(3))
def test_files_of_cases_and_prompts(root: Path, part: int) -> None:
    files = {path: filled(text, root) for path, text in list(case_files().items())[part::3]}
    write(root, files)
    check_nothing_ran(root, gate("init", "--all", "--dry-run", cwd=root), "search")
    for number, path in enumerate(files):
        check_nothing_ran(root, gate("init", "--prompt", path, "--config", f"g{number}.yaml", cwd=root), path)
        check_nothing_ran(root, gate("cases", "lint", path, cwd=root), path)
        check_nothing_ran(root, gate("cases", "convert", path, f"out-{number}.jsonl", cwd=root), path)
        check_nothing_ran(root, gate("cases", "import", path, f"store:s{number}", cwd=root), path)
