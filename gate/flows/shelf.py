"""The port to suites that a store keeps, and which of them a change from outside may have read."""

from dataclasses import dataclass
from typing import Protocol

from gate.config.gatefile import Config
from gate.errors import GateError
from gate.inputs.problems import quoted
from gate.inputs.storenames import StoreName, is_store, parse


@dataclass(frozen=True, slots=True)
class StoredCases:
    """One version of a suite of a store, which never changes again.

    Args:
        label: `store:support@12`; whoever names it gets the same cases.
        digest: of the cases, as `sha256:…`.
        text: the cases, one JSON object a line.
    """

    label: str
    digest: str
    text: str


class CaseShelf(Protocol):
    """Suites of a store, as they are during one run."""

    def read(self, name: StoreName) -> StoredCases:
        """A version of a suite; whatever others write meanwhile, the same name gives the same version.

        Raises:
            InputErrors: there is no such suite or version, or it has no cases.
            CannotEvaluate: the store does not answer.
            GateError: the store cannot be opened.
        """
        ...


def stored(shelf: CaseShelf | None, cases: str) -> StoredCases | None:
    """What a store has under the name of a suite's cases; None where the name is that of a file.

    Args:
        shelf: None where there is no store.
        cases: as `gate.yaml` has it.

    Raises:
        InputErrors, CannotEvaluate, GateError: see `CaseShelf.read`.
    """
    name = parse(cases)
    if name is None:
        return None
    if shelf is None:
        raise GateError(f"{quoted(cases)} is in a store, and none can be read here", "name a file of cases")
    return shelf.read(name)


def check_stranger(head: Config, base: Config | None) -> None:
    """See that a change from outside names no cases of a store but those that the merge target names.

    Whoever brings a prompt is shown how it answers them, and may have it say them.

    Args:
        head: the change's configuration.
        base: the merge target's; None where it has none.

    Raises:
        GateError: it names others, be it another version of the same suite.
    """
    known = {suite.cases for suite in base.suites} if base is not None else set()
    others = dict.fromkeys(one.cases for one in head.suites if is_store(one.cases) and one.cases not in known)
    if others:
        hint = "once somebody has read it, push it to a branch of the repository itself"
        message = f"{', '.join(map(quoted, others))}: a change from outside names cases of a store that"
        raise GateError(f"{message} the merge target does not name", hint)
