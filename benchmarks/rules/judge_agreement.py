"""Compares compiled rules with a judge's recorded verdicts: `python -m benchmarks.rules.compiled_rules --recorded`.

The rules are in our wording, each with the words of the prompt that state it; where no plain sentence says them, with a
check as a model may propose it. A verdict is about the whole prompt, so an answer that keeps every compiled rule may
break one that only a judge can see.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.judges.missed_violations import Answer, answers, drawing, passed_of
from gate.config.specification import CompiledRule, OutputRule, RuleCheck
from gate.scoring.validators.json_answers import unfenced
from gate.stats.agreement import Ratings, crossed, kappa, share_of_agreement
from gate.stats.arrays import Estimate, Undefined
from gate.stats.intervals import Rate
from gate.testgen.rules.checks import passes
from gate.testgen.rules.compiler import compile_rule


def _opening(tag: str) -> str:
    """A pattern for an opening tag, with or without attributes; one that prose quotes in backticks does not count."""
    return rf"(?<!`)<{tag}(?=[\s/>])[^<>]*+>(?!`)"


def _in_each_p(tag: str, times: str) -> RuleCheck:
    """Each <p> holds a tag so many times."""
    outer, inner = _opening("p"), _opening(tag)
    between, inside = rf"(?:(?!{outer})[\s\S])*+", rf"(?:(?!</p\s*>|{outer}|{inner})[\s\S])*+"
    content = rf"{outer}{inside}(?:{inner}{inside}){times}(?=</p\s*>|{outer}|\Z){between}"
    return RuleCheck("regex", (rf"(?i)\A{between}(?:{content})*+\Z",))


RULES: Mapping[str, tuple[OutputRule, ...]] = {
    "text-to-p": (
        OutputRule(
            "P1",
            "The output must contain at least three <p> tags.",
            "at least three <p> tags",
            check=RuleCheck("regex", (rf"(?i)\A(?>[\s\S]*?{_opening('p')}){{3}}",)),
        ),
        OutputRule(
            "P2",
            "Each <p> tag must contain exactly one <strong> tag.",
            "inside each <p> tag, add one <strong> tag",
            check=_in_each_p("strong", "{1,1}+"),
        ),
        OutputRule(
            "P3",
            "Each <p> tag must contain at least two <em> tags.",
            "multiple <em> tags",
            check=_in_each_p("em", "{2,}+"),
        ),
        OutputRule("P4", "Each sentence of the paragraph must stand in a <p> tag of its own.", "wrap each sentence"),
    ),
    "extract-names": (
        OutputRule("N1", "The output must be a JSON array.", "Your response is an array of the model names"),
        OutputRule("N2", "The output must be a JSON array of strings.", 'in the format [\\"model_name\\"]'),
        OutputRule(
            "N3",
            'If no name is found, the output must be exactly ["NA"].',
            "If you don't find model names in the abstract",
        ),
    ),
    "classify": (
        OutputRule(
            "C1",
            'The output must contain "World", "Sports", "Business" or "Sci/Tech".',
            "one of the following categories: World, Sports, Business, Sci/Tech",
        ),
    ),
    "shakespeare": (
        OutputRule("S1", 'The output must contain words such as "thou" and "hath".', 'including words like "thou"'),
        OutputRule("S2", "The output must be in the style of Shakespeare.", "Shakespearean style of writing"),
    ),
    "sentence": (
        OutputRule("W1", "The output must be simpler and more conversational than the input.", "more conversational"),
    ),
}
"""The rules of the five prompts with recorded answers."""

TOO_STRICT: Mapping[str, OutputRule] = {
    "classify": OutputRule(
        "C2",
        "The output must be one of the following categories: World, Sports, Business, Sci/Tech.",
        check=RuleCheck("one_of", ("World", "Sports", "Business", "Sci/Tech")),
    )
}
"""Rules that an extraction may invent. They are listed separately and do not count as broken."""


def _closed(output: str, tag: str, least: int, most: int) -> bool:
    found = re.findall(r"<p\b[^>]*>(.*?)</p>", output, re.IGNORECASE | re.DOTALL)
    return all(least <= len(re.findall(rf"<{tag}\b[^>]*>", part, re.IGNORECASE)) <= most for part in found)


def _array(output: str) -> bool:
    try:
        return isinstance(json.loads(unfenced(output, {})), list)
    except ValueError:
        return False


APART: Mapping[str, Callable[[str], bool]] = {
    "P2": lambda output: _closed(output, "strong", 1, 1),
    "P3": lambda output: _closed(output, "em", 2, len(output)),
    "N1": _array,
}
"""The same rules in other code: only `<p>` elements with an end tag count, and tags in code spans and prose count."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A recorded answer, and the compiled rules that it breaks."""

    answer: Answer
    broken: frozenset[str]


def judged(rows: Sequence[Answer]) -> list[Judged]:
    """Every answer with the broken compiled rules of its prompt."""
    compiled = {prompt: [(rule.id, found) for rule, found in _compiled(prompt)] for prompt in RULES}
    return [
        Judged(row, frozenset(name for name, rule in compiled[row.prompt] if passes(rule.scorers, row.output) is False))
        for row in rows
    ]


@cache
def recorded() -> list[Judged]:
    """All recorded answers."""
    return judged(answers())


def _compiled(prompt: str) -> list[tuple[OutputRule, CompiledRule]]:
    found = [(rule, compile_rule(rule)) for rule in RULES[prompt]]
    return [(rule, compiled) for rule, compiled in found if compiled is not None]


def by_rule(rows: Sequence[Judged]) -> Table:
    """How many answers break a rule, and how many of these the judge passed; the same counts from other code."""
    out = Table(title="Compiled rules on recorded answers", title_justify="left")
    out.add_column("prompt")
    out.add_column("rule")
    for name in ("answers", "violations", "judge: ok", "share ok", "other code", "judge: ok"):
        out.add_column(name, justify="right")
    for prompt in RULES:
        own = [row for row in rows if row.answer.prompt == prompt]
        for rule, _ in _compiled(prompt):
            _add(out, rule, own, [row.answer for row in own if rule.id in row.broken])
        strict = compile_rule(TOO_STRICT[prompt]) if prompt in TOO_STRICT else None
        if strict is not None:
            wrong = [row.answer for row in own if passes(strict.scorers, row.answer.output) is False]
            _add(out, TOO_STRICT[prompt], own, wrong, " (not what the prompt says)")
    return out


def _add(table: Table, rule: OutputRule, own: Sequence[Judged], wrong: Sequence[Answer], note: str = "") -> None:
    apart = APART.get(rule.id)
    others = None if apart is None else [row.answer for row in own if not apart(row.answer.output)]
    other = ("-", "-") if others is None else (str(len(others)), str(sum(row.passed for row in others)))
    counts = (str(len(own)), str(len(wrong)), str(sum(row.passed for row in wrong)), _rate(passed_of(wrong)))
    table.add_row(own[0].answer.prompt, f"{rule.id} {rule.text}{note}", *counts, *other)


def by_prompt(rows: Sequence[Judged]) -> Table:
    """ "Some compiled rule is broken" compared with the recorded verdict."""
    out = Table(title="Some compiled rule is broken, against the judge's verdict", title_justify="left")
    out.add_column("prompt")
    for name in ("rules", "compiled", "both pass", "broken, ok", "broken, err", "kept, err", "agreement", "kappa"):
        out.add_column(name, justify="right")
    for prompt, rules in RULES.items():
        own = [row for row in rows if row.answer.prompt == prompt]
        if not _compiled(prompt):
            out.add_row(prompt, str(len(rules)), "0", *["-"] * 6)
            continue
        cells = [(not row.broken, row.answer.passed) for row in own]
        counts = (cells.count(key) for key in ((True, True), (False, True), (False, False), (True, False)))
        drawn = drawing([row.answer for row in own])
        tables = crossed(_column([code for code, _ in cells]), _column([judge for _, judge in cells]), (0.0, 1.0))
        figures = (_rate(share_of_agreement(tables, drawn)), _figure(kappa(tables, drawn)))
        out.add_row(prompt, str(len(rules)), str(len(_compiled(prompt))), *map(str, counts), *figures)
    return out


def show(console: Console) -> None:
    """Print both tables."""
    rows = recorded()
    console.print(f"{len(rows):,} recorded answers with a verdict", highlight=False)
    console.print(by_rule(rows))
    console.print(by_prompt(rows))
    for prompt, rules in RULES.items():
        left = [rule.text for rule in rules if compile_rule(rule) is None]
        for text in left:
            console.print(f"left to the judge ({prompt}): {text}", highlight=False, markup=False)


def _column(values: Sequence[bool]) -> Ratings:
    return Ratings.of(np.array(values, dtype=np.float64)[:, None])


def _rate(rate: Rate) -> str:
    return "-" if rate.rate is None else f"{rate.rate * 100:.0f} % [{rate.lower * 100:.0f}, {rate.upper * 100:.0f}]"


def _figure(found: Estimate | Undefined) -> str:
    return "-" if isinstance(found, Undefined) else f"{found.value:.2f} [{found.lower:.2f}, {found.upper:.2f}]"
