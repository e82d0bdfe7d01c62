"""Compares a recorded judge with rules that code can check: `python -m benchmarks.judges.missed_violations`.

The judge is gpt-4o as called by PromptPex. The answers are real. See docs/judge-study.md.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.judges.checkable_rules import BY_PROMPT, RULES, STRICT, Rule, broken, fault_of_array
from benchmarks.paths import DATA
from benchmarks.promptpex.recorded_verdicts import MODELS, read
from gate.stats.agreement import Ratings, ResamplingOptions, crossed, kappa, share_of_agreement
from gate.stats.arrays import Estimate, Undefined
from gate.stats.association import length_bias
from gate.stats.intervals import Rate, wilson

OUTPUTS = DATA / "promptpex-outputs.jsonl"
SEED = 20250307
NOTHING_NESTED = '[["NA"]]'
"""One model's answer if it finds no name."""
NOTES = (
    "broken: code shows that the answer breaks a rule of its prompt. passed: the judge passed it anyway.",
    "95 % intervals; where a row has answers of several models, the four answers to one test count as one.",
    "An answer that keeps every rule may still break its prompt in another way: there the judge's 'err' is no error.",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One recorded output with its recorded verdict.

    Args:
        prompt, model, test: names of the prompt, the model and the test.
        output: the text.
        passed: the judge's verdict.
        broken: names of the broken rules.
    """

    prompt: str
    model: str
    test: str
    output: str
    passed: bool
    broken: tuple[str, ...]


def answers() -> list[Answer]:
    """Every output with a verdict; one output has none."""
    verdicts = {row["test"]: row["verdicts"] for row in read()}
    found = []
    with OUTPUTS.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            for model, output in row["outputs"].items():
                verdict = verdicts[row["test"]][model]
                if verdict is not None:
                    rules = broken(row["prompt"], output)
                    found.append(Answer(row["prompt"], model, row["test"], output, verdict == "ok", rules))
    return found


def drawing(rows: Sequence[Answer]) -> ResamplingOptions:
    """Answers to one test are one unit."""
    tests = sorted({row.test for row in rows})
    place = {test: number for number, test in enumerate(tests)}
    return ResamplingOptions(clusters=[place[row.test] for row in rows], seed=SEED)


def passed_of(rows: Sequence[Answer]) -> Rate:
    """The share that the judge passed. The interval counts each test once."""
    if not rows:
        return wilson(0, 0)
    units = len({row.test for row in rows})
    return wilson(float(np.mean([row.passed for row in rows])) * units, units)


def by_rule(rows: Sequence[Answer], rules: Iterable[Rule]) -> Table:
    """How many of the answers that break a rule the judge passed."""
    out = Table(title="Broken answers that the judge passed, by rule", title_justify="left")
    for name in ("prompt", "rule"):
        out.add_column(name)
    for name in ("answers", "broken", "passed", "share passed"):
        out.add_column(name, justify="right")
    for rule in rules:
        own = [row for row in rows if row.prompt == rule.prompt]
        wrong = [row for row in own if not rule.kept(row.output)]
        passed = sum(row.passed for row in wrong)
        out.add_row(rule.prompt, rule.name, str(len(own)), str(len(wrong)), str(passed), _rate(passed_of(wrong)))
    return out


def alone(rows: Sequence[Answer], prompt: str = "text-to-p") -> Table:
    """How many answers that break only this rule the judge passed."""
    out = Table(title=f"{prompt}: answers that break one rule and keep the others", title_justify="left")
    out.add_column("the only rule broken")
    for name in ("broken", "passed", "share passed"):
        out.add_column(name, justify="right")
    for rule in BY_PROMPT[prompt]:
        own = [row for row in rows if row.prompt == prompt and row.broken == (rule.name,)]
        out.add_row(rule.name, str(len(own)), str(sum(row.passed for row in own)), _rate(passed_of(own)))
    return out


def by_prompt(rows: Sequence[Answer]) -> Table:
    """The judge compared with all rules of a prompt together."""
    out = Table(title="The judge compared with all rules of a prompt", title_justify="left")
    out.add_column("prompt")
    for name in ("both pass", "broken, passed", "broken, failed", "kept, failed", "agreement", "kappa"):
        out.add_column(name, justify="right")
    for prompt in BY_PROMPT:
        own = [row for row in rows if row.prompt == prompt]
        cells = Counter((not row.broken, row.passed) for row in own)
        tables = crossed(_column([not row.broken for row in own]), _column([row.passed for row in own]), (0.0, 1.0))
        drawn = drawing(own)
        counts = (str(cells[key]) for key in ((True, True), (False, True), (False, False), (True, False)))
        figures = (_rate(share_of_agreement(tables, drawn)), _figure(kappa(tables, drawn)))
        out.add_row(prompt, *counts, *figures)
    return out


def by_model(rows: Sequence[Answer]) -> Table:
    """How many broken answers of each model passed, strongest model first."""
    out = Table(title="Broken answers that the judge passed, by model", title_justify="left")
    out.add_column("model")
    for prompt in ("text-to-p", "extract-names"):
        out.add_column(prompt, justify="right")
    out.add_column("only <strong> miscounted", justify="right")
    for model in MODELS:
        own = [row for row in rows if row.model == model and row.broken]
        parts = [[row for row in own if row.prompt == prompt] for prompt in ("text-to-p", "extract-names")]
        parts.append([row for row in own if row.broken == ("one <strong>",)])
        out.add_row(model, *(f"{sum(row.passed for row in part)} of {len(part)}" for part in parts))
    return out


def identical(rows: Sequence[Answer]) -> tuple[int, int, list[tuple[str, int, int]]]:
    """Outputs that occur several times under one prompt. The judge saw no input, so its request was the same each time.

    Returns:
        Groups of equal outputs, answers in them, and the groups with both verdicts: text, passed, failed.
    """
    groups: dict[tuple[str, str], list[Answer]] = {}
    for row in rows:
        groups.setdefault((row.prompt, row.output.strip()), []).append(row)
    several = {key: group for key, group in groups.items() if len(group) > 1}
    split = [
        (key[1], sum(row.passed for row in group), sum(not row.passed for row in group))
        for key, group in several.items()
        if len({row.passed for row in group}) == 2
    ]
    return len(several), sum(map(len, several.values())), split


def by_fault(rows: Sequence[Answer]) -> Table:
    """How answers of `extract-names` fail to be an array, and how many passed."""
    out = Table(title="extract-names: answers that are no array of names, and how many passed", title_justify="left")
    out.add_column("fault")
    for model in MODELS:
        out.add_column(model, justify="right")
    wrong = [row for row in rows if row.prompt == "extract-names" and row.broken]
    for fault in ("nested", "words around it", "something else"):
        own = [row for row in wrong if fault_of_array(row.output) == fault]
        parts = [[row for row in own if row.model == model] for model in MODELS]
        out.add_row(fault, *(f"{sum(row.passed for row in part)} of {len(part)}" for part in parts))
    return out


def length(rows: Sequence[Answer]) -> list[tuple[str, Estimate | Undefined]]:
    """How much more often an answer of twice the length passes, among answers with the same result of code."""
    found = []
    for prompt in dict.fromkeys(row.prompt for row in rows):
        own = [row for row in rows if row.prompt == prompt]
        judged = np.array([float(row.passed) for row in own])
        kept = np.array([float(not row.broken) for row in own])
        lengths = np.array([float(max(1, len(row.output))) for row in own])
        found.append((prompt, length_bias(judged, kept, lengths, drawing(own))))
    return found


def _counted(words: Iterable[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(words).most_common())


def _column(values: Sequence[bool]) -> Ratings:
    return Ratings.of(np.array(values, dtype=np.float64)[:, None])


def _rate(rate: Rate) -> str:
    return "–" if rate.rate is None else f"{rate.rate * 100:.0f} % [{rate.lower * 100:.0f}, {rate.upper * 100:.0f}]"


def _figure(found: Estimate | Undefined) -> str:
    return "–" if isinstance(found, Undefined) else f"{found.value:.2f} [{found.lower:.2f}, {found.upper:.2f}]"


def main() -> None:
    """Print all tables."""
    rows = answers()
    console = Console(width=140 if not sys.stdout.isatty() else None)
    wrong = [row for row in rows if row.broken]
    passed = sum(row.passed for row in wrong)
    told = f"{len(rows):,} answers; {len(wrong)} break a rule that code checks, and the judge passed {passed} of them"
    console.print(f"{told}: {_rate(passed_of(wrong))}", highlight=False)
    for table in (by_rule(rows, (*RULES, *STRICT)), alone(rows), by_prompt(rows), by_model(rows), by_fault(rows)):
        console.print(table)
    nested = [row for row in rows if row.prompt == "extract-names" and fault_of_array(row.output) == "nested"]
    other = [row for row in nested if row.output.strip() != NOTHING_NESTED]
    console.print(
        f"Nested arrays: {len(nested)}, all of {', '.join(sorted({row.model for row in nested}))}; without "
        f"{NOTHING_NESTED}: {sum(row.passed for row in other)} of {len(other)} passed",
        highlight=False, markup=False,
    )  # fmt: skip
    console.print(f"Broken answers by prompt: {_counted(row.prompt for row in wrong)}", highlight=False)
    console.print(f"Broken answers by model: {_counted(row.model for row in wrong)}", highlight=False)
    groups, members, split = identical(rows)
    console.print(f"Equal outputs under one prompt: {groups} groups, {members} answers; both verdicts: {split}")
    for prompt, bias in length(rows):
        console.print(
            f"{prompt}: among answers with the same result of code, twice the length passes {_figure(bias)} more often"
        )
    for line in NOTES:
        console.print(line, highlight=False)


if __name__ == "__main__":
    main()
