"""The override label and advisory mode: what sets a verdict aside, who answers for it, and what does not count."""

from gate.domain.record import OverrideRecord, RunRecord
from gate.report.parts.whole import Code, Text
from gate.report.slices import LONGEST_SENTENCE, short

LONGEST_REASON = 500


def aside(run: RunRecord) -> Text:
    """What follows the verdict's name where the verdict does not decide; empty where it does."""
    if not run.waived_code or not run.waived:
        return ()
    if run.waived == "advisory":
        return ("in advisory mode",)
    return ("set aside by ", _who(run.override) if run.override else "nobody")


def notes(run: RunRecord) -> tuple[Text, ...]:
    """What a reader must know about the exit code: that it was set aside, or that a label does not count."""
    override = run.override
    found: list[Text] = []
    if run.waived == "override" and override is not None:
        found.append((*_set(override), "; ", *_otherwise(run), ".", *_reason(override)))
    if run.waived == "advisory" and run.waived_code:
        found.append(("Advisory mode: ", *_otherwise(run), "."))
    if override is not None and not override.counted:
        found.append((short(override.why_not, LONGEST_SENTENCE),))
    return tuple(found)


def setter(override: OverrideRecord) -> Text:
    """Who answers for an override by which nothing was evaluated."""
    commit = Code(short(override.commit[:12]))
    if not override.by:
        said: Text = ("It is not known who set it. It holds for commit ", commit)
    else:
        said = ("Set by ", _who(override), *_role(override), f"{_at(override)}, and in force for commit ", commit)
    return (*said, ". Nothing was evaluated.", *_reason(override))


def exit_code(run: RunRecord) -> Text:
    """The exit code, and what it would have been."""
    why = {"override": "the label sets the verdict aside", "advisory": "advisory mode"}.get(run.waived)
    return (f"{run.exit_code}; {why}, without which it is {run.waived_code}",) if why else (str(run.exit_code),)


def _set(override: OverrideRecord) -> Text:
    label, commit = Code(short(override.label)), Code(short(override.commit[:12]))
    by: Text = (" was set by ", _who(override), *_role(override), _at(override)) if override.by else (" is set",)
    return ("The label ", label, *by, ", and holds for commit ", commit)


def _otherwise(run: RunRecord) -> Text:
    if not run.waived_code:
        return ("without it this would have been green, too",)
    without = "without it " if run.waived == "override" else ""
    return (f"{without}this would have been red ({run.verdict.value}, exit code {run.waived_code})",)


def _who(override: OverrideRecord) -> Code:
    return Code(short(override.by or override.label))


def _role(override: OverrideRecord) -> Text:
    return (" (role ", Code(short(override.role)), ")") if override.role else ()


def _at(override: OverrideRecord) -> str:
    return f" on {short(override.at).replace('T', ' ').removesuffix('Z')} UTC" if override.at else ""


def _reason(override: OverrideRecord) -> Text:
    return (" Reason given: ", Code(short(override.reason, LONGEST_REASON))) if override.reason else ()
