"""Runs `gate action` in its own process, and reads its outputs as strictly as GitHub's runner."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ruamel.yaml import YAML

from tests.support import in_process
from tests.support.warm import ROOT

ACTION = ROOT / "action.yml"
SUMMARY_LIMIT = 1024 * 1024
"""Bytes of a step's summary; the runner drops a longer one."""


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """The result of an action.

    Args:
        code: exit code.
        out, err: its log.
        outputs: what it wrote to GITHUB_OUTPUT.
        summary: what it wrote to GITHUB_STEP_SUMMARY.
    """

    code: int
    out: str
    err: str
    outputs: dict[str, str]
    summary: str


@cache
def declared_inputs() -> dict[str, str]:
    """The inputs of action.yml with their defaults; the runner passes an empty text for an input without one."""
    declared = YAML(typ="safe").load(ACTION)["inputs"]
    return {name: str(about.get("default", "")) for name, about in declared.items()}


def run_action(checkout: Path, env: Mapping[str, str], timeout_s: float = 120) -> ActionOutcome:
    """Run the action in a workspace to its end."""
    done = in_process.run(["action"], checkout, {"PYTHONPATH": str(ROOT), **env}, timeout_s)
    summary = Path(env["GITHUB_STEP_SUMMARY"]).read_bytes()
    if len(summary) > SUMMARY_LIMIT:
        raise ValueError(f"a summary of {len(summary)} bytes is dropped by the runner")
    outputs = parse_outputs(Path(env["GITHUB_OUTPUT"]).read_bytes().decode())
    return ActionOutcome(done.returncode, done.stdout, done.stderr, outputs, summary.decode())


def parse_outputs(text: str) -> dict[str, str]:
    """Read the runner's heredoc form, `NAME<<DELIMITER`, lines, `DELIMITER`, and nothing else.

    Raises:
        ValueError: another form, an open end, a name twice, or a delimiter that could be guessed.
    """
    found: dict[str, str] = {}
    # The runner knows line feeds only, not all that Python takes for the end of a line.
    lines = iter(re.findall(r"[^\n]*\n|[^\n]+\Z", text))
    for line in lines:
        head = re.fullmatch(r"([A-Za-z_][A-Za-z0-9_-]*)<<(\S{16,})\n", line)
        if head is None:
            raise ValueError(f"not the heredoc form: {line!r}")
        name, end, value = head[1], head[2], []
        for each in lines:
            if each in (end, end + "\n"):
                break
            value.append(each)
        else:
            raise ValueError(f"{name} has no end")
        if name in found:
            raise ValueError(f"{name} is set twice")
        found[name] = "".join(value).removesuffix("\n")
    return found
