"""What `gate init` did, for a program."""

from collections.abc import Sequence
from dataclasses import asdict

from gate.bootstrap.scaffolding import Outcome
from gate.domain.jsonvalue import JsonValue
from gate.flows.scaffold.proposing import Proposal, Seen
from gate.flows.scaffold.writing import keys_of

SCHEMA = "prompt-gate/init/1"


def found(seen: Seen) -> dict[str, JsonValue]:
    """What is there: all that can be said where nothing is written."""
    return {
        "schema": SCHEMA,
        "found": [{"path": one.path, "variables": [*one.variables], "braces": [*one.braces]} for one in seen.found],
        "bundles": [
            {
                "path": path,
                "format": bundle.format,
                "suites": len(bundle.suites),
                "cases": sum(len(suite.cases) for suite in bundle.suites),
                "losses": [asdict(loss) for loss in bundle.losses],
            }
            for path, bundle in seen.bundles.items()
        ],
        "left_out": [asdict(one) for one in seen.left],
        "in_code": [asdict(one) for one in seen.constants],
    }


def document(
    seen: Seen, proposal: Proposal, outcome: Outcome, told: Sequence[str], *, dry: bool
) -> dict[str, JsonValue]:
    """All of it.

    Args:
        seen: what is there.
        proposal: the suites.
        outcome: what was written.
        told: the next steps, as a person is told them.
        dry: nothing was written.
    """
    models = proposal.layout.models
    return {
        **found(seen),
        "dry_run": dry,
        "written": [*outcome.written],
        "kept": [*outcome.kept],
        "unexamined": [*outcome.unexamined, *proposal.more],
        "model": models.answering,
        "judge": models.judge,
        "keys": [*keys_of(proposal.drafts, models)],
        "suites": [
            {
                "name": draft.name,
                "prompt": draft.prompt,
                "cases": draft.cases,
                "count": _count(draft.name, outcome),
                "starter": draft.starter,
                "language": draft.language if draft.starter else None,
            }
            for draft in proposal.drafts
        ],
        "next": [line.strip() for line in told if line.strip() and line != "Next:"],
    }


def _count(name: str, outcome: Outcome) -> int | None:
    """Cases of a suite, those of all its prompts where it has a pattern; None where nobody looked."""
    if outcome.looked is None:
        return None
    return sum(one.count for one in outcome.looked.suites if one.name == name or one.name.startswith(f"{name}:"))
