"""Puts the placeholders of a suite, such as `{today}`, into its prompts and cases: the same texts for both arms."""

from collections.abc import Mapping
from dataclasses import replace

from gate.config.scorerspec import ScorerSpec
from gate.domain.case import Case, Round
from gate.domain.message import Message
from gate.domain.prompt import Built, Prompt
from gate.domain.suite import Arm, Suite
from gate.flows.resolved import Resolved
from gate.inputs.placeholders import TODAY, filled, filled_json


def with_placeholders(resolved: Resolved, today: str) -> Resolved:
    """The same with every placeholder replaced, and a note on what by.

    Args:
        resolved: what is evaluated.
        today: the day on which the run began, as `2026-11-22`.
    """
    notes = dict.fromkeys(_note(suite, today) for suite in resolved.suites if suite.exam.placeholders is not None)
    edits = tuple(
        replace(
            edit,
            trials=tuple(
                replace(one, suite=of_suite(one.suite, today), answers=one.answers and of_suite(one.answers, today))
                for one in edit.trials
            ),
        )
        for edit in resolved.edits
    )
    suites = tuple(of_suite(suite, today) for suite in resolved.suites)
    return replace(resolved, suites=suites, edits=edits, notes=(*resolved.notes, *notes))


def of_suite(suite: Suite, today: str) -> Suite:
    """One suite with its placeholders replaced."""
    if suite.exam.placeholders is None:
        return suite
    values = {TODAY: today, **suite.exam.placeholders}
    cases = tuple(_case(case, values) for case in suite.exam.cases)
    exam = replace(suite.exam, cases=cases, scorers=_scorers(suite.exam.scorers, values))
    baseline = suite.baseline and _arm(suite.baseline, values)
    return replace(suite, exam=exam, baseline=baseline, candidate=_arm(suite.candidate, values))


def _note(suite: Suite, today: str) -> str:
    values = {TODAY: today, **(suite.exam.placeholders or {})}
    told = ", ".join(f"{{{name}}} is {value}" for name, value in values.items())
    return f"{suite.name}: in prompts and cases of both arms {told}."


def _arm(arm: Arm, values: Mapping[str, str]) -> Arm:
    return replace(arm, version=replace(arm.version, prompt=_prompt(arm.version.prompt, values)))


def _prompt(prompt: Prompt, values: Mapping[str, str]) -> Prompt:
    files = tuple(replace(part, text=filled(part.text, values)) for part in prompt.parts.files)
    built = prompt.built
    if built is not None:
        texts = built.texts.items()
        built = Built({key: filled(text, values) if isinstance(text, str) else text for key, text in texts})
    return replace(
        prompt,
        messages=_messages(prompt.messages, values),
        parts=replace(prompt.parts, files=files),
        built=built,
    )


def _messages(messages: tuple[Message, ...], values: Mapping[str, str]) -> tuple[Message, ...]:
    return tuple(replace(message, content=filled(message.content, values)) for message in messages)


def _case(case: Case, values: Mapping[str, str]) -> Case:
    """The case; its id, slices and cluster name it, and stay as they are."""
    return replace(
        case,
        input=filled(case.input, values),
        messages=_messages(case.messages, values),
        expected=filled_json(case.expected, values),
        scorers=None if case.scorers is None else _scorers(case.scorers, values),
        extra_scorers=_scorers(case.extra_scorers, values),
        criteria=None if case.criteria is None else filled(case.criteria, values),
        vars={name: filled_json(value, values) for name, value in case.vars.items()},
        rounds=tuple(_round(one, values) for one in case.rounds),
        facts=filled(case.facts, values),
        user=case.user
        and replace(case.user, persona=filled(case.user.persona, values), goal=filled(case.user.goal, values)),
    )


def _round(one: Round, values: Mapping[str, str]) -> Round:
    return replace(
        one,
        said=filled(one.said, values),
        criteria=None if one.criteria is None else filled(one.criteria, values),
        scorers=_scorers(one.scorers, values),
    )


def _scorers(specs: tuple[ScorerSpec, ...], values: Mapping[str, str]) -> tuple[ScorerSpec, ...]:
    return tuple(
        replace(spec, options={name: filled_json(value, values) for name, value in spec.options.items()})
        for spec in specs
    )
