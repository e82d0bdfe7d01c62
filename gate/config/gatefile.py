"""Reads and checks `gate.yaml`, version 1, with pydantic models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from gate.config.documents import Document, one_problem, quoted, read_yaml
from gate.config.models import PROVIDER, PROVIDERS, ModelPrice, ModelRef, Params, ProviderServer
from gate.config.policy import Budget, CachePolicy, RunPolicy, SuitePolicy
from gate.config.scorer import Scorers, ScorerSpec
from gate.config.targets import ConversationOptions, Target, TargetOptions
from gate.config.validation import FileModel, Matches, attempt, file_schema, value_error, value_errors
from gate.config.values import (
    AND,
    OVERALL,
    Model,
    Path,
    Threshold,
    dimension_complaint,
    each_once,
    empty_is,
    function_complaint,
    is_python,
    is_store,
    name_complaint,
    pointer_complaint,
    pointer_of,
    repository_path,
    slice_complaint,
    store_name_complaint,
)
from gate.errors import InputErrors, Problem
from gate.files import is_glob
from gate.limits import CONFIG_CHARS, NAME_CHARS, PATH_CHARS
from gate.values import JsonValue

if TYPE_CHECKING:
    from gate.config.specification import Specification

READING = 7
"""Calls that read a prompt before and after a change, where every reply can be used; a specification spares some."""
TRIED = 10
"""So many new rules get tests at most: whoever changes a prompt decides how many rules it has."""


@dataclass(frozen=True, slots=True)
class RuleComparisonOptions:
    """Models and number of tests for comparing the rules of a prompt before and after a change.

    Args:
        judge: compares wordings that code cannot compare, and decides whether an answer follows a rule.
        tests: number for each new or stricter rule, and again for its inverse; 0 for none.
        specification: of the baseline's prompt, from its file on the base branch; None if it is extracted.
        unable: why the comparison is impossible; empty if it is possible.
        judging: parameters of the judge's calls; None to use those of the model, if the provider is the same.
    """

    model: ModelRef
    params: Params
    judge: ModelRef
    tests: int = 2
    specification: "Specification | None" = None
    unable: str = ""
    judging: Params | None = None

    @property
    def judge_params(self) -> Params:
        """Parameters of the judge's calls; those of a model from another provider do not apply."""
        if self.judging is not None:
            return self.judging
        return self.params if self.judge.provider == self.model.provider else Params()


VERSION = 1
ID = f"https://prompt-gate.dev/schemas/gate.yaml/{VERSION}"
"""A name, not an address that is fetched."""
CASE_ENDINGS = (".jsonl", ".ndjson", ".json", ".yaml", ".yml", ".csv", ".tsv")
_CODE = (".py",)


class PromisesConfig(FileModel):
    """Report how a change affects the rules of the prompt."""

    meant = {"specification": "spec", "judge_model": "judge"}

    model: Model | None = Field(default=None, description="Model that extracts the rules. Default: the suite's model.")
    params: Annotated[Params, empty_is(dict)] = Field(default_factory=Params, description="Parameters of its calls.")
    judge: Model | None = Field(default=None, description="Judge model. Default: `promises.model`.")
    tests: int = Field(default=2, ge=0, le=10, description="Tests for each new or stricter rule.")
    spec: Path | None = Field(
        default=None, description="Specification file of the prompt, used instead of extracting rules."
    )

    def completed(self, model: ModelRef, params: Params) -> RuleComparisonOptions:
        """Options with the suite's model as the default; does not read a specification.

        Args:
            params: of that model; its chat template also applies here for the same model, unless the entry sets one.
        """
        reader, own = self.model or model, self.params
        if reader == model:
            own = own.model_copy(update={"chat_template": own.chat_template or params.chat_template})
        return RuleComparisonOptions(reader, own, self.judge or reader, self.tests)


def _prompt(text: str) -> str:
    if is_python(text):
        if reason := function_complaint(text):
            hint = "write python:package.module:function, the module with dots from the root of the repository"
            raise value_error(f"{quoted(text)} {reason}", hint)
        return text
    if AND in text:
        raise value_error(f"contains {quoted(AND)}, which joins two messages", "write them under system and user")
    if pointer := pointer_of(text):
        if reason := pointer_complaint(pointer):
            raise value_error(f"{quoted(text)} {reason}", "write path::NAME, such as app/prompts.py::SYSTEM_PROMPT")
        return str(replace(pointer, path=repository_path(pointer.path)))
    if text.lower().endswith(_CODE):
        hint = f"name its text, {text}::NAME, or a function of it: python:module:function"
        raise value_error("is a code file, not a prompt file", hint)
    return repository_path(text)


def _message(text: str) -> str:
    if is_python(text) or "*" in text or "?" in text:
        raise value_error(f"{quoted(text)} is not a single text", "name a file, or a text inside a file: path::NAME")
    return text


def _cases(text: str) -> str:
    if is_store(text):
        if reason := store_name_complaint(text):
            hint = "write store:NAME for the newest version of a suite, or store:NAME@12 for a fixed one"
            raise value_error(f"{quoted(text)}: the name of a store's suite {reason}", hint)
        return text
    path = repository_path(text)
    if "*" in path or "?" in path:
        raise value_error(f"{quoted(path)} is a pattern", "name one .jsonl file")
    if not path.lower().endswith(CASE_ENDINGS):
        ending = PurePosixPath(path).suffix
        kind = f"ends in {ending}" if ending else "has no ending"
        hint = "use JSON Lines (.jsonl), a list in JSON or YAML (.json, .yaml), or a table (.csv, .tsv)"
        raise value_error(f"{kind}, which case files do not", hint)
    return path


def _suite_name(name: str) -> str:
    if reason := name_complaint(name):
        raise value_error(f"{quoted(name)} {reason}")
    return name


def _dimension(name: str) -> str:
    if reason := dimension_complaint(name):
        raise value_error(f"{quoted(name)} {reason}", "name dimensions only")
    return name


def _as_text(values: dict[str, Any]) -> dict[str, str]:
    for name, value in values.items():
        if isinstance(value, bool) or len(str(value)) > NAME_CHARS:
            raise value_errors(((name,), f"must be a text of up to {NAME_CHARS} characters", ""))
    return {name: str(value) for name, value in values.items()}


PromptPath: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=PATH_CHARS), AfterValidator(_prompt)]
_MessagePath: TypeAlias = Annotated[PromptPath, AfterValidator(_message)]
CasesPath: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=PATH_CHARS), AfterValidator(_cases)]
SuiteName: TypeAlias = Annotated[str, Field(pattern=r"\S"), AfterValidator(_suite_name)]
_Placeholder: TypeAlias = Annotated[str, Matches(r"^[A-Za-z_][A-Za-z0-9_]{0,63}$", "is not a valid placeholder name")]
_Samples: TypeAlias = Annotated[int, Field(ge=1, le=100)]
_MODEL = "The model, as provider:name."
_PARAMS = "Parameters of the model's calls."


class DefaultOptions(FileModel):
    """Defaults of all suites."""

    model: Model | None = Field(default=None, description=_MODEL)
    samples: _Samples = Field(default=3, description="Samples per case and arm.")
    params: Annotated[Params, empty_is(dict)] = Field(default_factory=Params, description=_PARAMS)


class SuiteOptions(FileModel):
    """One prompt, or a pattern of prompts, with its cases and scorers."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["prompt"]}, {"required": ["system"]}]})
    meant = {
        **{"scorer": "scorers", "prompts": "prompt", "tests": "cases", "dataset": "cases", "k": "samples"},
        "thresholds": "threshold",
        **{"targets": "target", "agent": "target", "tools": "target", "command": "target", "rounds": "conversation"},
    }

    name: SuiteName = Field(examples=["support"], description="Unique name, shown in reports.")
    prompt: PromptPath | None = Field(
        default=None,
        examples=["prompts/support.md"],
        description="A path from the root of the repository, a pattern as prompts/*.md, a text inside a file as "
        "app/prompts.py::SYSTEM_PROMPT, or python:module:function.",
    )
    system: _MessagePath | None = Field(
        default=None, description="In place of prompt: the system message, a path or a text inside a file."
    )
    user: _MessagePath | None = Field(
        default=None, description="With system: the user message, a path or a text inside a file."
    )
    cases: CasesPath = Field(
        examples=["evals/support/cases.jsonl"],
        description="A case file from the root of the repository, or store:NAME.",
    )
    scorers: Scorers = Field(
        examples=["[contains]"],
        description="What makes a score from 0 to 1 out of an answer; several combine to their weighted mean.",
    )
    slices: Annotated[list[Annotated[str, AfterValidator(_dimension)]], AfterValidator(each_once)] = Field(
        default=[],
        description="Dimensions of the cases to test; others are not. length is made from the cases' own terciles.",
    )
    model: Model | None = Field(default=None, description=_MODEL)
    samples: _Samples | None = Field(
        default=None, description="Samples per case and arm. Default: `defaults.samples`, or 3."
    )
    params: Annotated[Params, empty_is(dict)] = Field(default_factory=Params, description=_PARAMS)
    template: Literal["jinja2", "nunjucks", True, False] | None = Field(
        default=None,
        description="jinja2 reads the prompt as Jinja2, whatever its ending; nunjucks as promptfoo does; false keeps "
        "braces as text.",
    )
    threshold: Threshold | None = Field(default=None, description="Score at which an answer passes.")
    policy: SuitePolicy = Field(default_factory=SuitePolicy, description="Rules for the verdict of this suite.")
    target: TargetOptions | None = Field(default=None, description="Agent to test instead of a single model call.")
    conversation: ConversationOptions = Field(
        default_factory=ConversationOptions, description="Settings of conversations."
    )
    placeholders: Annotated[dict[_Placeholder, str | int | float], AfterValidator(_as_text)] | None = Field(
        default=None,
        description="Texts put for {name} into prompts and cases; {today} is the day of the run unless it is set here.",
    )
    promises: PromisesConfig | None = Field(
        default=None,
        description="Report how a change affects the rules of the prompt.",
    )

    @classmethod
    def _without_null(cls, value: dict[str, Any]) -> dict[str, Any]:
        """`placeholders` and `promises` count as given even if they are empty."""
        named: dict[str, Any] = {key: {} for key in ("placeholders", "promises") if key in value and value[key] is None}
        return {**super()._without_null(value), **named}

    @field_validator("template")
    @classmethod
    def _check_template(cls, template: Any, info: ValidationInfo) -> Any:
        if template is not None and is_python(info.data.get("prompt") or ""):
            raise value_error("cannot be used if code builds the prompt", "remove it")
        return template

    @field_validator("policy")
    @classmethod
    def _check_slices(cls, policy: SuitePolicy, info: ValidationInfo) -> SuitePolicy:
        if "slices" not in info.data:
            return policy
        dimensions, hint = tuple(info.data["slices"]), "for example tier=enterprise"
        errors: list[tuple[tuple[str | int, ...], str, str]] = []
        named: list[tuple[tuple[str | int, ...], str]] = [
            *((("required", at), name) for at, name in enumerate(policy.required)),
            *((("advisory", at), name) for at, name in enumerate(policy.advisory)),
            *((("slices", name), name) for name in policy.slices),
        ]
        for loc, name in named:
            if name == OVERALL and loc[0] == "advisory":
                errors.append((loc, f"lists {OVERALL!r}, which always counts", "remove it"))
            elif name != OVERALL and (reason := slice_complaint(name, dimensions)):
                errors.append((loc, f"{quoted(name)} {reason}", hint))
        if errors:
            raise value_errors(*errors)
        return policy

    @model_validator(mode="after")
    def _check_sees(self) -> Self:
        seeing = [at for at, one in enumerate(self.scorers) if one.options.get("sees")]
        if seeing and self.target is None:
            message = "sees tools, and the suite has no agent that calls any"
            raise value_errors((("scorers", seeing[0]), message, "remove sees, or set target"))
        return self


class GateFile(FileModel):
    """The file `gate.yaml`."""

    version: Literal[1] = Field(examples=[1], description="Version of this format.")
    policy: RunPolicy = Field(default_factory=RunPolicy, description="Rules for the verdict of the whole run.")
    budget: Budget = Field(
        default_factory=Budget,
        description="Limits of a run; a run that reaches one is INCONCLUSIVE.",
    )
    cache: CachePolicy = Field(default_factory=CachePolicy, description="Reuse of cached answers.")
    providers: dict[
        Annotated[
            str, Matches(f"^{PROVIDER}$", "may only have lower-case letters, digits, - and _", "for example groq")
        ],
        ProviderServer,
    ] = Field(
        default={},
        description="Other servers, by provider name (read from the base branch).",
    )
    prices: dict[Annotated[str, Field(min_length=1, max_length=NAME_CHARS)], ModelPrice] = Field(
        default={},
        description="Prices by model name; they override the built-in ones.",
    )
    moved: dict[PromptPath, PromptPath] = Field(
        default={},
        examples=["{prompts/old.md: prompts/new.md}"],
        description="Prompts that have another path now, old to new, where no suite of the same name says it.",
    )
    defaults: DefaultOptions = Field(default_factory=DefaultOptions, description="Defaults of all suites.")
    suites: list[SuiteOptions] = Field(
        min_length=1,
        examples=["[{name: support, prompt: prompts/support.md, …}]"],
        description="One entry per prompt, or per pattern of prompts.",
    )

    @field_validator("providers")
    @classmethod
    def _other(cls, providers: dict[str, ProviderServer]) -> dict[str, ProviderServer]:
        if built_in := [name for name in providers if name in PROVIDERS]:
            raise value_errors(*(((name,), "is a built-in provider", "give it another name") for name in built_in))
        return providers


@dataclass(frozen=True, slots=True)
class SuiteConfig:
    """One entry of `suites`, with the defaults of the file applied.

    Args:
        prompt: a path; a pattern, which makes one suite per file; `path::NAME` for a text inside a file;
            `python:module:function`; or a system and a user message, each of these, joined by ` + `.
        cases: path of the case file, or `store:NAME[@version]`.
        template: whether the prompt is a template; None to decide by its file.
        nunjucks: the template is Nunjucks, and a list of messages in the text is a conversation.
        model: None only if the entry is not sound.
        samples: k, outputs per case and arm.
        slices: dimensions to test, in this order.
        line: 1-based line of the entry.
        threshold: the score at which a sample passes; None to use the threshold of each scorer.
        pattern: the pattern that matched the prompt's file; empty if the entry names the file, or is not expanded yet.
        scorer_lines: 1-based line of each scorer; ignored when suites are compared.
        promises: compare the rules of the prompt before and after; None if not wanted.
        roles: the prompt is written as a system message, a user message or both.
        sound: the entry has no errors; only `parse_partly` returns suites with errors.
    """

    name: str
    prompt: str
    cases: str
    template: bool | None
    model: ModelRef | None
    params: Params
    samples: int
    scorers: tuple[ScorerSpec, ...]
    slices: tuple[str, ...]
    policy: SuitePolicy
    line: int
    threshold: float | None = None
    pattern: str = ""
    scorer_lines: tuple[int, ...] = field(default=(), compare=False)
    target: Target | None = None
    conversing: ConversationOptions = ConversationOptions()
    placeholders: Mapping[str, str] | None = None
    promises: PromisesConfig | None = None
    roles: bool = False
    sound: bool = True
    nunjucks: bool = False

    @property
    def is_pattern(self) -> bool:
        """Does the entry stand for one suite per matching file?"""
        return not self.roles and not self.pattern and is_glob(self.prompt)


@dataclass(frozen=True, slots=True)
class Config:
    """`gate.yaml` with all defaults applied."""

    policy: RunPolicy
    budget: Budget
    cache: CachePolicy
    suites: tuple[SuiteConfig, ...]
    providers: Mapping[str, ProviderServer] = field(default_factory=dict)
    prices: Mapping[str, ModelPrice] = field(default_factory=dict)
    moved: Mapping[str, str] = field(default_factory=dict)


def config_schema() -> dict[str, Any]:
    """The JSON Schema of `gate.yaml`."""
    return file_schema(GateFile, "gate.yaml", ID)


@lru_cache(maxsize=8)
def load(text: str, file: str) -> Config:
    """Read a configuration; raise `InputErrors` with all errors.

    The last ones are remembered: the action reads them several times, and so does `gate watch`.
    """
    document = _document(text, file)
    found, problems = attempt(GateFile, document, _context(document))
    problems = [*problems, *(problem for problem, _ in _suite_problems(document))]
    if found is None or problems:
        raise InputErrors(problems)
    return _config(found, tuple(_suite(found, at, document, at) for at in range(len(found.suites))))


def parse_partly(text: str, file: str) -> Config:
    """The valid parts of a configuration; a suite with errors is not `sound`.

    Raises:
        InputErrors: the text is not YAML, not a mapping, or of another version.
    """
    document = _document(text, file)
    data = document.data if isinstance(document.data, dict) else {}
    context, crossed = _context(document), {place for _, place in _suite_problems(document)}

    def alone(parts: Mapping[str, JsonValue]) -> GateFile | None:
        whole: JsonValue = {"version": VERSION, "suites": [_ANY], **parts}
        return attempt(GateFile, replace(document, data=whole), context)[0]

    head = {key: value for key, value in data.items() if key in GateFile.model_fields and key != "suites"}
    head = {key: value for key, value in head.items() if alone({key: value}) is not None}
    entries = data.get("suites")
    suites = []
    for at, entry in enumerate(entries if isinstance(entries, list) else []):
        found = alone({**head, "suites": [entry]})
        if found is not None and (found.suites[0].model or found.defaults.model) and at not in crossed:
            suites.append(_suite(found, 0, document, at))
        elif isinstance(entry, dict):
            suites.append(_invalid_suite(entry, document.line_of("suites", at)))
    rest = alone(head)
    return Config(RunPolicy(), Budget(), CachePolicy(), tuple(suites)) if rest is None else _config(rest, tuple(suites))


_ANY: JsonValue = {"name": "any", "prompt": "any.md", "cases": "any.jsonl", "scorers": ["json"], "model": "fake:any"}


def expand(suite: SuiteConfig, paths: Sequence[str]) -> tuple[SuiteConfig, ...]:
    """One suite per prompt file: `support` with `prompts/a.md` and `prompts/b.md` gives `support:a`, `support:b`.

    A path with brackets that names one file is no pattern.
    """
    if not suite.is_pattern or list(paths) == [suite.prompt]:
        return (suite,)
    folders = PurePosixPath(suite.prompt).parts
    fixed = next(i for i, part in enumerate(folders) if is_glob(part))
    named = {path: "-".join(PurePosixPath(path).parts[fixed:]) for path in sorted(paths)}
    short = {path: name.rsplit(".", 1)[0] for path, name in named.items()}
    unique = len(set(short.values())) == len(short)
    names = short if unique else named
    return tuple(
        replace(suite, name=f"{suite.name}:{names[path]}", prompt=path, pattern=suite.prompt) for path in names
    )


def _document(text: str, file: str) -> Document:
    """The parsed text. Raises for another version, since further errors would be guesses."""
    if len(text) > CONFIG_CHARS:
        raise one_problem(file, 0, f"is longer than {CONFIG_CHARS:,} characters", "move cases and prompts into files")
    document = read_yaml(text, file)
    data = document.data
    if data is None:
        raise one_problem(file, 0, "is empty", "it needs at least 'version: 1' and 'suites'")
    version = data.get("version", VERSION) if isinstance(data, dict) else VERSION
    if version != VERSION or isinstance(version, bool):
        found = quoted(version) if isinstance(version, str) else version
        message = f"version {found} is not supported; this gate reads version {VERSION}"
        newer = isinstance(version, int) and version > VERSION
        hint = "update Prompt Gate" if newer else f"write 'version: {VERSION}'"
        raise one_problem(file, document.line_of("version"), message, hint)
    return document


def _context(document: Document) -> dict[str, Any]:
    data = document.data
    named = data.get("providers") if isinstance(data, dict) else None
    return {"providers": tuple(named) if isinstance(named, dict) else ()}


def _suite_problems(document: Document) -> list[tuple[Problem, int]]:
    """Errors of suites that only the whole file shows, each with the position of the suite."""
    data = document.data
    suites = data.get("suites") if isinstance(data, dict) else None
    defaults = data.get("defaults") if isinstance(data, dict) else None
    usual = isinstance(defaults, dict) and defaults.get("model") is not None
    found: list[tuple[Problem, int]] = []
    names: dict[object, int] = {}
    for at, suite in enumerate(suites if isinstance(suites, list) else []):
        if not isinstance(suite, dict):
            continue
        if not usual and suite.get("model") is None:
            hint = "for example model: openai:gpt-5-mini, here or under 'defaults'"
            found.append((document.problem(("suites", at), f"'model' is missing in suites[{at}]", hint), at))
        message, hint = _messages_complaint(suite)
        if message:
            found.append((document.problem(("suites", at), f"{message} in suites[{at}]", hint), at))
        name = suite.get("name")
        if isinstance(name, str) and name in names:
            line = document.line_of("suites", names[name])
            message = f"suites[{at}].name {quoted(name)} is already used on line {line}"
            found.append((document.problem(("suites", at, "name"), message, "give each suite its own name"), at))
        names.setdefault(name if isinstance(name, str) else at, at)
    return found


def _messages_complaint(suite: Mapping[str, Any]) -> tuple[str, str]:
    """The error in how a suite names its prompt, and a hint; both empty if there is none."""
    prompt, system, user = (suite.get(key) is not None for key in ("prompt", "system", "user"))
    if prompt and (system or user):
        return "'prompt' cannot be combined with 'system' or 'user'", "write either prompt, or system and user"
    if user and not system:
        return "'system' is missing", "write prompt for a single message"
    return ("", "") if prompt or system else ("'prompt' is missing", "for example prompt: prompts/support.md")


def _config(found: GateFile, suites: tuple[SuiteConfig, ...]) -> Config:
    return Config(found.policy, found.budget, found.cache, suites, found.providers, found.prices, found.moved)


def _suite(found: GateFile, at: int, document: Document, place: int) -> SuiteConfig:
    one, defaults = found.suites[at], found.defaults
    return SuiteConfig(
        name=one.name,
        prompt=AND.join(part for part in (one.prompt, one.system, one.user) if part),
        cases=one.cases,
        template=None if one.template is None else one.template is not False,
        nunjucks=one.template == "nunjucks",
        model=one.model or defaults.model,
        params=defaults.params.changed_by(one.params),
        samples=defaults.samples if one.samples is None else one.samples,
        scorers=one.scorers,
        slices=tuple(one.slices),
        policy=one.policy,
        line=document.line_of("suites", place),
        threshold=one.threshold,
        scorer_lines=tuple(document.line_of("suites", place, "scorers", n) for n in range(len(one.scorers))),
        target=None if one.target is None else one.target.chosen,
        conversing=one.conversation,
        placeholders=one.placeholders,  # pyrefly: ignore[bad-argument-type]
        promises=one.promises,
        roles=one.system is not None,
    )


def _invalid_suite(entry: dict[str, Any], line: int) -> SuiteConfig:
    """A suite for an entry with errors; it keeps only valid file names."""
    name, prompt, cases = (_if_valid(kind, entry.get(key)) for key, kind in _FILES.items())
    return SuiteConfig(name, prompt, cases, False, None, Params(), 1, (), (), SuitePolicy(), line, sound=False)


_FILES: dict[str, TypeAdapter[str]] = {
    "name": TypeAdapter(SuiteName),
    "prompt": TypeAdapter(PromptPath),
    "cases": TypeAdapter(CasesPath),
}


def _if_valid(kind: TypeAdapter[str], value: object) -> str:
    try:
        return kind.validate_python(value)
    except ValidationError:
        return ""
