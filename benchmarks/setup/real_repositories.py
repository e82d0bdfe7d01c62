"""Tries `gate init` on clones of real repositories: the prompts it finds, and the verdict on a changed prompt.

python -m benchmarks.setup.real_repositories CLONE…

In a copy of each clone it runs `gate init` and `gate validate`, fills in case rows, makes one prompt worse and runs
`gate diff`. A local model server gives the answers and judgements. Only the case files and the prompt are edited.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from ruamel.yaml import YAML

from gate.config.values import file_part, pointer_of
from gate.prompts.pointers import pointed_text
from tests.support.model_server import Behaviour, ModelServer

ROWS = 12
WORSE = "ANSWER-BADLY"
"""This text in a prompt makes the server's answers bad."""
_PLACE = re.compile(r"[A-Za-z]{3,} [a-z]+(?= [a-z]+ [a-z]+)")
_VERDICT = re.compile(r"\b(BLOCK|HOLD|SHIP|PASS|INCONCLUSIVE|SKIPPED)\b")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One repository.

    Args:
        said: the first line of `gate init`.
        seconds: duration of `gate init`.
        prompt: the changed prompt.
        verdict: the verdict; empty if there is none.
    """

    name: str
    commit: str
    files: int
    seconds: float
    said: str
    prompt: str = ""
    verdict: str = ""


def answer(system: str, user: str) -> str:
    return "A bad answer." if WORSE in system + user else "A good answer."


def judgement(system: str, user: str) -> str:
    return json.dumps({"reason": "It says so itself.", "score": float("A bad answer." not in user)})


def tried(clone: Path, root: Path, url: str) -> Outcome:
    """Try one repository in a copy."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(root.parent), "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": f"{url}/v1"}

    def process(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)

    def run(*command: str) -> str:
        done = process(*command)
        return done.stdout + done.stderr

    gate = (sys.executable, "-m", "gate")
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", clone.absolute().as_uri(), str(root)], check=True)
    files = len(run("git", "ls-files").splitlines())
    begun = time.perf_counter()
    said = re.split("[;\n]", run(*gate, "init"), maxsplit=1)[0]
    seconds = time.perf_counter() - begun
    found = Outcome(clone.name, run("git", "rev-parse", "--short=10", "HEAD").strip(), files, seconds, said)
    if not (root / "gate.yaml").exists():
        return found
    suites = YAML(typ="safe").load((root / "gate.yaml").read_text())["suites"]
    for suite in suites:
        fill_in(root / suite["cases"])
    run("git", "add", "--all")
    run("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message", "Gate")
    prompt = suites[0].get("prompt") or suites[0]["system"]
    worsen(root / file_part(prompt), prompt)
    valid = process(*gate, "validate").returncode == 0
    told = run(*gate, "diff", "--base", "HEAD").replace("\u200b", "")
    verdict = _VERDICT.search(told)
    named = prompt in told.replace("\n", "")
    return replace(found, prompt=prompt, verdict=verdict[1] if verdict and valid and named else "")


def fill_in(cases: Path) -> None:
    """Fill in enough rows of an empty case file for a slice to block; other case files stay unchanged."""
    if cases.suffix != ".yaml":
        return
    form = YAML(typ="safe").load(cases.read_text())[0]
    rows = []
    for number in range(ROWS):
        row: dict[str, object] = {"id": f"case-{number}"}
        row |= {"input": f"Request {number}"} if "input" in form else {}
        row |= {"vars": {name: f"{name} {number}" for name in form["vars"]}} if form.get("vars") else {}
        rows.append(row)
    cases.write_text(json.dumps(rows, indent=1))


def worsen(file: Path, prompt: str) -> None:
    """Add a few words to the last line of a prompt that has room for them; in a chat, to its first message."""
    lines = file.read_text(errors="surrogateescape").splitlines(keepends=True)
    places = range(len(lines))
    if (pointer := pointer_of(prompt)) is not None:
        text = pointed_text("".join(lines), pointer.path, pointer.name, prompt)
        places = range(text.line - 1, text.last)
    elif chat := next((place for place, line in enumerate(lines) if "content:" in line), None):
        places = range(chat, chat + 8)
    for place in reversed(places):
        if found := _PLACE.search(lines[place]):
            lines[place] = f"{lines[place][: found.end()]} {WORSE}{lines[place][found.end() :]}"
            break
    file.write_text("".join(lines), errors="surrogateescape")


def main() -> None:
    print("| repository | commit | files | `gate init` | time | changed prompt | verdict |")
    print("|---|---|--:|---|--:|---|---|")
    with ModelServer(Behaviour(answer=answer, judgement=judgement)) as server:
        for clone in map(Path, sys.argv[1:]):
            with tempfile.TemporaryDirectory() as folder:
                one = tried(clone, Path(folder) / "copy", server.url)
            counts = re.match(r"Set up ([\d,]+) of ([\d,]+) ", one.said)
            init = f"{counts[2]} found, {counts[1]} set up" if counts else "no prompt found"
            prompt = f"`{one.prompt}`" if one.prompt else ""
            row = (one.name, one.commit, f"{one.files:,}", init, f"{one.seconds:.1f} s", prompt, one.verdict or "none")
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
