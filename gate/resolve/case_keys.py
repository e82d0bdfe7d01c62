"""What reads each key of a case; a key that nothing in its suite reads is an error, because its check would not run."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.cases.case import Case, place_of
from gate.cases.reading import TABLE_ENDINGS
from gate.config.documents import quoted
from gate.config.scorer import ScorerSpec
from gate.config.targets import ConversationOptions, calls_own_models
from gate.errors import Problem
from gate.prompts.version import TEMPLATE_ENDINGS, TODAY
from gate.suite import Arm
from gate.values import counted

_FILLED_IN = re.compile(r"\{\{(.*?)\}\}|\{%(.*?)%\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CaseReaders:
    """What a suite has that may read a key of its cases.

    Args:
        scorers: of the suite; a case may have others.
        threshold: of the suite for the combined score; None without one.
        arms: the candidate, or both files that are compared.
    """

    suite: str
    scorers: Sequence[ScorerSpec]
    threshold: float | None
    conversing: ConversationOptions
    arms: Sequence[Arm]

    def scorers_of(self, case: Case) -> tuple[ScorerSpec, ...]:
        """The scorers of a case, without those of single rounds."""
        return (*(self.scorers if case.scorers is None else case.scorers), *case.extra_scorers)


_Missing = Callable[[CaseReaders, Case], str]
"""What would read a key of a case, where nothing does; empty where something does, or the case does not have it."""


def _nothing(_readers: CaseReaders, _case: Case) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class CaseKey:
    """One meaning of a key.

    Args:
        keys: its names in case files, each for some of the forms.
        readers: what reads it, for the reference.
        missing: see `_Missing`.
    """

    keys: tuple[str, ...]
    readers: str
    missing: _Missing = _nothing


def _criteria(readers: CaseReaders, case: Case) -> str:
    own = not case.rounds or any(one.criteria is None for one in case.rounds)
    if case.criteria is None or any(spec.comparative or (spec.judged and own) for spec in readers.scorers_of(case)):
        return ""
    if any(map(_scores_one, readers.scorers_of(case))):
        return "a round without a judge_prompt of its own"
    return "a judge"


def _round_criteria(readers: CaseReaders, case: Case) -> str:
    given = any(one.criteria is not None for one in case.rounds)
    return "" if not given or any(map(_scores_one, readers.scorers_of(case))) else "a judge"


def _judge_threshold(readers: CaseReaders, case: Case) -> str:
    if case.judge_threshold is None:
        return ""
    if case.rounds and all(one.threshold is not None for one in case.rounds):
        return "a round without a judge_threshold of its own"
    return _marks(readers, case)


def _round_threshold(readers: CaseReaders, case: Case) -> str:
    return "" if all(one.threshold is None for one in case.rounds) else _marks(readers, case)


def _marks(readers: CaseReaders, case: Case) -> str:
    """What is missing for the thresholds of judges to count."""
    if not any(map(_scores_one, readers.scorers_of(case))):
        return "a judge"
    combined = readers.threshold if case.threshold is None else case.threshold
    return "" if combined is None else "a suite and case without threshold, which replaces those of the scorers"


def _scores_one(spec: ScorerSpec) -> bool:
    return spec.judged and not spec.comparative


def _expected(readers: CaseReaders, case: Case) -> str:
    # A case that replaces the suite's scorers may keep the reference answer that they compare with.
    specs = (*readers.scorers, *_all_scorers(readers, case))
    if case.expected is None or any(map(_reads_expected, specs)):
        return ""
    return 'a scorer that compares with it, such as contains: "{{ expected }}"'


def _reads_expected(spec: ScorerSpec) -> bool:
    shown = spec.judged and spec.options.get("sees_expected") is not False
    return shown or spec.coded or _fills_in(spec, ("expected",))


def _vars(readers: CaseReaders, case: Case) -> str:
    texts = (message.content for arm in readers.arms for message in arm.version.prompt.messages)
    if TODAY in case.vars and any(f"{{{TODAY}}}" in text for text in texts):
        return f"another name for the variable {TODAY}: {{{TODAY}}} in the prompt is the day of the run"
    names = case.vars.keys() - {"state", "session"}
    # The other columns of a table may be for its readers.
    if place_of(case.where)[0].lower().endswith(TABLE_ENDINGS):
        return ""
    if not names or _builds_texts(readers) or any("{{" in text for text in case.templates):
        return ""
    # A name that is none of the case's fields is one of a variable, or an error that is reported where it is filled in.
    specs = _all_scorers(readers, case)
    if any(_reads_vars(spec, names) or _filled_in(spec) - {"expected", "input", "id", "slices"} for spec in specs):
        return ""
    return "a prompt that is a template (template: jinja2)"


def _session(readers: CaseReaders, case: Case) -> str:
    names = {"session"}
    given = bool(case.vars.get("session"))
    if not given or _builds_texts(readers) or any(_reads_vars(spec, names) for spec in _all_scorers(readers, case)):
        return ""
    return "a prompt that is a function or a template"


def _all_scorers(readers: CaseReaders, case: Case) -> tuple[ScorerSpec, ...]:
    return (*readers.scorers_of(case), *case.round_scorers)


def _builds_texts(readers: CaseReaders) -> bool:
    """Are variables put into a prompt, or given to an agent?"""
    prompts = [arm.version.prompt for arm in readers.arms]
    filled = any(one.template or one.built is not None or one.threads for one in prompts)
    return filled or any(calls_own_models(arm.target) for arm in readers.arms)


def _reads_vars(spec: ScorerSpec, names: "set[str] | frozenset[str]") -> bool:
    template = str(spec.options.get("template", "")) if spec.judged else ""
    return spec.coded or template.lower().endswith(TEMPLATE_ENDINGS) or _fills_in(spec, names)


def _fills_in(spec: ScorerSpec, names: "Sequence[str] | set[str] | frozenset[str]") -> bool:
    """Do texts of a scorer's options use one of these fields of the case?"""
    return not _filled_in(spec).isdisjoint(names)


def _filled_in(spec: ScorerSpec) -> set[str]:
    return {word for text in _texts(spec.options) for found in _FILLED_IN.finditer(text) for word in _words(found)}


def _words(found: re.Match[str]) -> list[str]:
    return re.findall(r"\w+", found[1] or found[2] or "")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_texts(key), *_texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _expected_tools(readers: CaseReaders, case: Case) -> str:
    checks = any(spec.kind == "tools" for spec in _all_scorers(readers, case))
    return "a target, which calls tools" if checks and all(arm.target is None for arm in readers.arms) else ""


def _facts(readers: CaseReaders, case: Case) -> str:
    if not case.facts or case.user is not None or readers.conversing.answers_questions:
        return ""
    return "a model that answers questions back: conversation: {followups: {model: openai:gpt-5-mini}}"


CASE_KEYS: tuple[CaseKey, ...] = (
    CaseKey(("id", "name", "description"), "reports"),
    CaseKey(("input", "messages", "prompt", "rounds", "conversation"), "the model or agent, and judges"),
    CaseKey(("rounds[].prompt",), "the agent, and judges"),
    CaseKey(
        ("expected",),
        "scorers with `{{ expected }}` in an option; `judge`, `rubric`, `pairwise`, unless `sees_expected: false`; "
        "`python`",
        _expected,
    ),
    CaseKey(("criteria", "judge_prompt"), "`judge`, `rubric`, `pairwise`", _criteria),
    CaseKey(("rounds[].judge_prompt",), "`judge`, `rubric`", _round_criteria),
    CaseKey(("threshold",), "the pass or fail of the case"),
    CaseKey(("judge_threshold",), "`judge`, `rubric`, without a `threshold` of the case or suite", _judge_threshold),
    CaseKey(
        ("rounds[].judge_threshold",),
        "`judge`, `rubric`, without a `threshold` of the case or suite",
        _round_threshold,
    ),
    CaseKey(("scorers", "extra_scorers"), "become scorers of the case"),
    CaseKey(("expected_tools", "rounds[].expected_tools"), "`tools`; needs a `target`", _expected_tools),
    CaseKey(("expect.max_sentences",), "`sentences`"),
    CaseKey(("expect.must_paraphrase",), "`paraphrases`"),
    CaseKey(("expect.forbidden_words",), "`forbidden_words`"),
    CaseKey(("expect.should_ask",), "`asks`"),
    CaseKey(("expect",), "scorers of the case, one for each of its keys"),
    CaseKey(
        ("vars",),
        "prompts that are templates or functions; your own agent; `{{ name }}` in an option of a scorer; judges with a "
        "`template`; `python`",
        _vars,
    ),
    CaseKey(("session",), "the same as `vars`", _session),
    CaseKey(("state",), "the slice `state`"),
    CaseKey(("slices", "slice"), "`slices` and `policy` of the suite, reports, templates"),
    CaseKey(("cluster",), "the statistics, which count a cluster once"),
    CaseKey(("obsolete",), "every suite: the case is not run"),
    CaseKey(("facts",), "the models under `conversation.followups` and `conversation.user`", _facts),
    CaseKey(("user", "user.persona", "user.goal", "user.max_turns"), "the model under `conversation.user`"),
    CaseKey(("test_agent_revival",), "the agent"),
)
"""Every key of every form of a case, in the order of the reference."""


def unread_keys(readers: CaseReaders, cases: Sequence[Case]) -> Iterator[Problem]:
    """An error for each key that nothing in the suite reads, at the first such case, with the number of others."""
    for key in CASE_KEYS:
        if key.missing is _nothing:
            continue
        unread = [(case, missing) for case in cases if not case.obsolete and (missing := key.missing(readers, case))]
        for missing in dict.fromkeys(missing for _, missing in unread):
            of_kind = [case for case, other in unread if other == missing]
            more = f"; and {counted(len(of_kind) - 1, 'other case')}" if len(of_kind) > 1 else ""
            file, line = place_of(of_kind[0].where)
            names = " or ".join(key.keys)
            what = f"case {quoted(of_kind[0].id)} has {names}"
            message = f"{what}, which nothing in the suite {readers.suite} reads{more}"
            yield Problem(file, line, message, f"it needs {missing}; or remove the key")
