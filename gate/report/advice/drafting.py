"""Which command drafts the cases that a slice lacks."""

from gate.domain.record_compared import SuiteRecord
from gate.report.parts.whole import Code, Text
from gate.report.shell import pasted
from gate.report.slices import Named

_ENDINGS = (".md", ".txt", ".j2", ".yml", ".yaml", ".json", ".prompty")
"""Prompts that are files of text; what a program builds, nobody can draft tests from."""
_HOSTED = ("openai:", "anthropic:")
"""Models that write good cases; a small one that runs locally does not."""
_LONGEST = 200


def drafted(suite: SuiteRecord, named: Named) -> Text:
    """`gate generate …` can draft them, after a number of cases.

    Args:
        suite: that the slice belongs to.
        named: the slice that lacks cases.
    """
    return ("; ", Code(_command(suite, named)), " can draft them")


def _command(suite: SuiteRecord, named: Named) -> str:
    path, model = suite.candidate.path, suite.candidate.model
    words = ["gate", "generate", path, "--model", model]
    if not path.endswith(_ENDINGS) or path.startswith("-") or not model.startswith(_HOSTED):
        return "gate generate"
    # The gate cuts `length` itself out of the cases there are.
    if not named.overall and not named.local.startswith("length="):
        words += ["--instructions", f"tests=Only cases of {named.local}"]
    return pasted(words, _LONGEST) or "gate generate"
