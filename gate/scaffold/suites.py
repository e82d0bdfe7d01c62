"""Drafts of suites: names, cases, scorers, models and judges."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from gate.cases import reading as case_files
from gate.cases.case import Case
from gate.cases.losses import BundleSuite
from gate.cases.stored import Entry
from gate.config.documents import decode
from gate.config.gatefile import CASE_ENDINGS
from gate.config.models import parse_model
from gate.errors import InputErrors
from gate.files import literal_folder
from gate.limits import NEW_SUITES
from gate.prompts.reading import is_prompt_yml
from gate.scaffold import starter_cases
from gate.scaffold.discovery import FoundPrompt, literal_pattern, pattern_of, similar_prompts
from gate.testgen.rules import prompt_scorers
from gate.values import JsonValue

_GENERAL = frozenset("prompt system system_prompt system-prompt main default index".split())
"""Names that say less than that of the folder."""
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(slots=True)
class SuiteNames:
    """Unique names of suites, whatever their case, since they name folders, too.

    Args:
        taken: names in use.
        shared: names that several prompts would have.
    """

    taken: set[str] = field(default_factory=set)
    shared: frozenset[str] = frozenset()

    def expect(self, paths: Iterable[str]) -> None:
        """Note names that several of these prompts would have: each of them gets its folder before it."""
        seen = Counter(bare_name(PurePosixPath(path).name).lower() for path in paths)
        self.shared = frozenset(name for name, count in seen.items() if count > 1)

    def of(self, path: str) -> str:
        """A name for the suite of a prompt or pattern."""
        place = PurePosixPath(path)
        folders = [part for part in place.parts[:-1] if part not in ("prompts", "prompt", "src")]
        stem = bare_name(place.name)
        if stem.lower() in _GENERAL and folders:
            return self.free(folders[-1], folders)
        if stem.lower() in self.shared and folders:
            return self.free(f"{safe_name(folders[-1])}-{stem}", folders)
        return self.free(stem, folders)

    def free(self, start: str, folders: Sequence[str] = ()) -> str:
        """This name, or with folders before it or a number behind it where it is in use."""
        name = safe_name(start)
        for folder in reversed(folders):
            if name.lower() in self.taken and safe_name(folder) not in name.split("-"):
                name = f"{safe_name(folder)}-{name}"
        first, number = name, 1
        while name.lower() in self.taken:
            number += 1
            name = f"{first}-{number}"
        self.taken.add(name.lower())
        return name


def bare_name(name: str) -> str:
    """A file's name without what is only its kind: `support` of `support.prompt.yml`."""
    for ending in (".j2", ".jinja2", ".jinja", ".md", ".txt", ".yaml", ".yml", ".json", ".prompty", ".prompt"):
        if name.lower().endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
    return name


def safe_name(text: str) -> str:
    """A name that is valid for a suite, a folder and a shell."""
    return _UNSAFE.sub("-", text).strip("-._")[:60] or "prompt"


SINGLE = 10
"""Prompts of one kind that get a suite each; more of them share one, with a pattern."""
EVALS = "evals"

_BESIDE = re.compile(r"(?:cases?|tests?|evals?|dataset|examples?|data)", re.IGNORECASE)
_DATA_FOLDERS = ("evals", "eval", "tests", "data", "datasets", "cases")
_TEST_DATA = frozenset({"id", "input", "expected", "vars"})
"""Fields of a case that test data of a prompt file can hold."""


@dataclass(frozen=True, slots=True)
class SuiteDraft:
    """A suite in preparation.

    Args:
        name, prompt, cases: as in `gate.yaml`.
        entries: of the case file to be written; None where there is one.
        starter: the cases are made up.
        scorers: as in `gate.yaml`; empty for the usual ones.
        model, params, slices: of the suite alone.
        template: the prompt is Jinja2.
        talks: it answers people, and does not work on texts.
        labels: it answers with one of a few words.
        brought: its scorers are from another tool.
        language: likely language of its prompt, where its cases are made up.
    """

    name: str
    prompt: str
    cases: str
    entries: tuple[Entry, ...] | None = None
    starter: bool = False
    scorers: tuple[JsonValue, ...] = ()
    model: str | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    slices: tuple[str, ...] = ()
    template: bool = False
    found: tuple[FoundPrompt, ...] = ()
    talks: bool = True
    labels: bool = False
    brought: bool = False
    language: str = "en"


@dataclass(frozen=True, slots=True)
class RepositoryFiles:
    """The files of the repository."""

    paths: frozenset[str]
    read: Callable[[str], bytes | None]

    def cases(self, path: str) -> tuple[Case, ...]:
        """The cases of a file; empty where it holds none, or has a mistake."""
        try:
            data = self.read(path)
            return () if data is None else case_files.parse(decode(data, path), path)
        except InputErrors:
            return ()


def suite_drafts(
    found: Sequence[FoundPrompt], tree: RepositoryFiles, names: SuiteNames, *, continues: bool = False
) -> tuple[list[SuiteDraft], list[str]]:
    """A suite for each prompt, or for each group of many.

    Args:
        tree: where cases may lie beside the prompts.
        continues: the model continues a text.

    Returns:
        The suites; and the prompts beyond the limit.
    """
    with_data = [one for one in found if is_prompt_yml(one.path) and tree.cases(one.path)]
    plain = [one for one in found if one not in with_data]
    made: list[SuiteDraft] = []
    alone: list[FoundPrompt] = list(with_data)
    for group in similar_prompts(plain):
        pattern = pattern_of([one.path for one in group], tree.paths) if len(group) > SINGLE else None
        if pattern is None:
            alone += group
        else:
            made.append(_of_group(pattern, group, names, continues))
    room = NEW_SUITES - len(made)
    tree = replace(tree, paths=frozenset(path for path in tree.paths if path.lower().endswith(CASE_ENDINGS)))
    names.expect(one.path for one in alone)
    made += [_of_one(one, tree, (names, continues), single=len(found) == 1) for one in alone[:room]]
    order = {one.path: place for place, one in enumerate(found)}
    made.sort(key=lambda draft: order[draft.found[0].path])
    return made, [one.path for one in alone[room:]]


def bundle_draft(suite: BundleSuite, tree: RepositoryFiles, names: SuiteNames) -> SuiteDraft:
    """A suite of another tool; test data in the prompt's own file stay there."""
    name = names.free(suite.name)
    inside = is_prompt_yml(suite.prompt) and len(tree.cases(suite.prompt)) == len(suite.cases)
    own = inside and all(entry.keys() <= _TEST_DATA for entry in suite.cases)
    made = SuiteDraft(
        name,
        literal_pattern(suite.prompt),
        suite.prompt if own else f"{EVALS}/{name}/cases.jsonl",
        None if own else suite.cases,
        scorers=suite.scorers or prompt_scorers.case_scorers(suite.cases, strict=False),
        template=suite.template,
    )
    return with_settings(made, suite)


def with_settings(draft: SuiteDraft, suite: BundleSuite) -> SuiteDraft:
    """The suite with another tool's settings of its model and scorers."""
    return replace(
        draft,
        scorers=suite.scorers or draft.scorers,
        model=suite.model or draft.model,
        params={**draft.params, **suite.params},
        slices=suite.slices or draft.slices,
        brought=bool(suite.scorers),
    )


def with_cases(draft: SuiteDraft, path: str, cases: Sequence[Case]) -> SuiteDraft:
    """The suite with the cases of an existing file."""
    expected: list[Entry] = [{"expected": case.expected} for case in cases]
    values = {name: {case.slices.get(name) for case in cases} for case in cases for name in case.slices}
    # A dimension with another value for nearly each case says nothing about any of them.
    slices = tuple(name for name, found in values.items() if len(found) <= max(2, len(cases) // 3))
    scorers = draft.scorers
    if not draft.brought and not all(case.scorers for case in cases):
        found = prompt_scorers.case_scorers(expected, strict=draft.labels)
        # The expected label says more than that there is one.
        scorers = found if found and draft.labels else (*found, *draft.scorers)
    return replace(draft, cases=path, entries=None, starter=False, scorers=scorers, slices=slices)


def _of_one(one: FoundPrompt, tree: RepositoryFiles, how: tuple[SuiteNames, bool], *, single: bool) -> SuiteDraft:
    names, continues = how
    draft = _starting(names.of(one.path), literal_pattern(one.path), (one,), continues)
    for path in _beside(one.path, draft.name, tree.paths, single=single):
        cases = tree.cases(path)
        if cases and all(_fits(case, one) for case in cases):
            return with_cases(draft, path, cases)
    return draft


def _of_group(pattern: str, group: Sequence[FoundPrompt], names: SuiteNames, continues: bool) -> SuiteDraft:
    folder = literal_folder(pattern)
    return _starting(names.of(f"{folder}/prompt" if folder else "prompts"), pattern, tuple(group), continues)


def _starting(name: str, prompt: str, found: tuple[FoundPrompt, ...], continues: bool) -> SuiteDraft:
    entries = starter_cases.starter_cases(found, continues=continues)
    labels = len(found) == 1 and bool(prompt_scorers.labels_of(found[0].text))
    return SuiteDraft(
        name,
        prompt,
        f"{EVALS}/{name}/cases.yaml",
        entries,
        starter=True,
        scorers=_common_checks(found),
        slices=(starter_cases.SLICE,),
        template=any(one.template for one in found),
        found=found,
        talks=not starter_cases.works_on_text(found),
        labels=labels,
        language=starter_cases.language_of(found),
    )


def _common_checks(found: Sequence[FoundPrompt]) -> tuple[JsonValue, ...]:
    """What all of the prompts require of an answer."""
    every = [prompt_scorers.prompt_scorers(one.text) for one in found]
    return tuple(scorer for scorer in every[0] if all(scorer in other for other in every[1:]))


def _fits(case: Case, prompt: FoundPrompt) -> bool:
    """Has the case all variables of the prompt?"""
    asks = bool(case.input or case.messages or case.rounds or case.user)
    # A prompt without variables is asked nothing by values alone, such as those of any table that lies about.
    return set(prompt.variables) <= set(case.vars) and (asks or bool(prompt.variables) and "input" not in prompt.names)


def _beside(path: str, name: str, paths: Iterable[str], *, single: bool) -> Iterator[str]:
    """Files that may hold the cases of a prompt, the likeliest first."""
    if is_prompt_yml(path):
        yield path
    stem, folder = bare_name(PurePosixPath(path).name).lower(), PurePosixPath(path).parent
    for other in sorted(paths):
        place = PurePosixPath(other)
        if other == path or is_prompt_yml(other):
            continue
        own = bare_name(place.name.rsplit(".", 1)[0]).lower()
        near = place.parent in (folder, folder.parent) or bool(set(place.parts[:-1]) & set(_DATA_FOLDERS))
        about = stem in own or place.parent.name.lower() in (stem, name.lower())
        if near and (_BESIDE.search(own) is not None or about) and (about or single):
            yield other


PACKAGED = "local:gemma3-270m"
USUAL: Mapping[str, str] = {"openai": "openai:gpt-5-mini", "anthropic": "anthropic:claude-haiku-4-5"}
"""Default model by service."""
JUDGES: Mapping[str, str] = {"openai": "openai:gpt-5", "anthropic": "anthropic:claude-opus-4-5"}
KEYS: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


@dataclass(frozen=True, slots=True)
class ConfigurationModels:
    """Models of a configuration.

    Args:
        answering: the default of all suites.
        judge: None where a judge is only prepared.
        params: neutral parameters of the default.
        named: the user named the model, which outranks another tool's.
        served: services whose key is set.
    """

    answering: str
    judge: str | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    named: bool = False
    served: tuple[str, ...] = ()

    @property
    def provider(self) -> str:
        return parse_model(self.answering, ()).provider

    @property
    def hosted(self) -> bool:
        """Does an answer cost money, and need a key?"""
        return self.provider in KEYS

    @property
    def packaged(self) -> bool:
        return self.answering == PACKAGED

    def keys(self, others: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Variables that hold the keys, also for models that suites name themselves."""
        named = (self.answering, *((self.judge,) if self.judge else ()), *others)
        providers = dict.fromkeys(parse_model(name).provider for name in named)
        return tuple(KEYS[provider] for provider in providers if provider in KEYS)


def chosen_models(model: str | None, judge: str | None, present: tuple[str, ...]) -> ConfigurationModels:
    """Choose the models.

    Args:
        model: None to choose by the keys.
        judge: None to choose by the keys.
        present: services whose key is set, the preferred one first.

    Raises:
        GateError: not the name of a model.
    """
    answering = model or (USUAL[present[0]] if present else PACKAGED)
    provider = parse_model(answering, ()).provider
    if judge is not None:
        parse_model(judge, ())
    elif provider in KEYS:
        # A judge of another family does not prefer its own kind of answers.
        other = next((one for one in present if one != provider), provider)
        judge = JUDGES[other]
    return ConfigurationModels(answering, judge, _params(answering, provider), named=model is not None, served=present)


def label_params(models: ConfigurationModels) -> Mapping[str, JsonValue]:
    """Additional parameters of a base model for answers of one word: where to stop."""
    own: Mapping[str, JsonValue] = {"max_output_tokens": 8}
    if models.provider != "local":
        return {}
    return own if models.packaged else {**own, "stop": ["\n"]}


def line_params(models: ConfigurationModels) -> Mapping[str, JsonValue]:
    """Parameters of the packaged model for answers of several lines: the first line is not the end."""
    return {"stop": ["\n\n"]} if models.packaged else {}


def _params(answering: str, provider: str) -> Mapping[str, JsonValue]:
    if provider == "local":
        own: Mapping[str, JsonValue] = {"max_output_tokens": 60, "temperature": 0}
        # A base model finds no end by itself: it would go on with the next question.
        return {**own, "stop": ["\n"], "chat_template": "passthrough"} if answering == PACKAGED else own
    return {"max_output_tokens": 2048} if provider in KEYS else {}


_SCORERS = ("scorers", "extra_scorers")
"""Keys of a case that brings its own."""


@dataclass(frozen=True, slots=True)
class _Judge:
    """A judge among scorers."""

    scorer: dict[str, JsonValue]
    options: dict[str, JsonValue]

    @property
    def models(self) -> tuple[str, ...]:
        """Models that it names; empty where the answering one judges."""
        given = self.options.get("models", self.options.get("model"))
        return tuple(str(one) for one in (given if isinstance(given, list) else [given]) if one is not None)


def with_judges(draft: SuiteDraft, judge: str) -> SuiteDraft:
    """The suite of another tool with a model for each judge without one, so that no model judges itself."""

    def named(one: JsonValue) -> JsonValue:
        found = _judge(one)
        return one if found is None or found.models else {**found.scorer, "judge": {"model": judge, **found.options}}

    return _changed(draft, named)


def without_judges(draft: SuiteDraft, models: ConfigurationModels) -> SuiteDraft:
    """The suite without judges that cannot judge where the packaged model answers.

    That model is too small to judge itself, and a judge of a service without a key cannot be asked. Where no scorer is
    left, the suite gets the usual ones.
    """
    left = _changed(draft, lambda one: None if _unasked(_judge(one), models) else one)
    entries = left.entries or ()
    bare = not left.scorers and not any(key in entry for entry in entries for key in _SCORERS)
    return replace(left, brought=left.brought and not bare)


def count_unasked_judges(draft: SuiteDraft, models: ConfigurationModels) -> int:
    """How many judges `without_judges` removes."""
    return sum(_unasked(found, models) for found in _judges(draft))


def is_self_judged(draft: SuiteDraft) -> bool:
    """Has the suite of another tool a judge without a model, so that the answering one judges?"""
    return any(not found.models for found in _judges(draft))


def judge_models(draft: SuiteDraft) -> tuple[str, ...]:
    """Models named by judges of the suite and of its cases, each once."""
    return tuple(dict.fromkeys(name for found in _judges(draft) for name in found.models))


def _unasked(found: _Judge | None, models: ConfigurationModels) -> bool:
    if found is None:
        return False
    providers = {parse_model(name).provider for name in found.models}
    return not providers or any(one in KEYS and one not in models.served for one in providers)


def _judges(draft: SuiteDraft) -> Iterator[_Judge]:
    entries = draft.entries or ()
    own = [value for entry in entries for key in _SCORERS if isinstance(value := entry.get(key), list)]
    for scorers in (draft.scorers, *own):
        yield from (found for one in scorers if (found := _judge(one)) is not None)


def _judge(scorer: JsonValue) -> _Judge | None:
    options = scorer.get("judge") if isinstance(scorer, dict) else None
    if not isinstance(scorer, dict) or not isinstance(options, (str, dict)):
        return None
    return _Judge(scorer, {"criteria": options} if isinstance(options, str) else dict(options))


def _changed(draft: SuiteDraft, change: Callable[[JsonValue], JsonValue]) -> SuiteDraft:
    """The suite with every scorer changed; None removes it, and a case without scorers gets those of the suite."""

    def every(scorers: list[JsonValue]) -> list[JsonValue]:
        return [new for one in scorers if (new := change(one)) is not None]

    def entry(old: Entry) -> Entry:
        own = {key: every(value) for key in _SCORERS if isinstance(value := old.get(key), list)}
        return {key: own.get(key, value) for key, value in old.items() if key not in own or own[key]}

    entries = None if draft.entries is None else tuple(map(entry, draft.entries))
    return replace(draft, scorers=tuple(every([*draft.scorers])), entries=entries)
