"""What the configuration of another tool comes to here: prompts, suites, and what could not be brought along."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of the other tool that has no equal here, or is put differently.

    Args:
        where: file and line, `promptfooconfig.yaml:31`.
        what: "assertion type 'rouge-n' of test 4 is not brought along".
        remedy: "use `similarity`, or a function of your own".
    """

    where: str
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class BundleSuite:
    """One suite of `gate.yaml`.

    Args:
        name: a valid name of a suite.
        prompt: path of its prompt: one of the bundle's files, or a file of the repository that is used as it is.
        cases: every one passes `gate.cases.reading`; none where the tool keeps none with its prompt.
        scorers: as `gate.yaml` has them.
        model: `openai:gpt-5-mini`; None where the tool names none that is known here.
        params: neutral parameters.
        slices: dimensions to be tested.
        template: the prompt has to be read as Jinja2, whatever its ending says.
    """

    name: str
    prompt: str
    cases: tuple[Entry, ...]
    scorers: tuple[JsonValue, ...]
    model: str | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    slices: tuple[str, ...] = ()
    template: bool = False


@dataclass(frozen=True, slots=True)
class Bundle:
    """A whole configuration.

    Args:
        format: the tool, `promptfoo`.
        files: new prompt files to be written: path (relative to the root, posix) to text.
        suites: one at least.
        losses: what is not as it was.
    """

    format: str
    files: Mapping[str, str]
    suites: tuple[BundleSuite, ...]
    losses: tuple[Loss, ...]
