"""Counts the verdicts copied from an answer that the gate finds, and its false alarms.

`python -m benchmarks.judges.copied_verdicts`; see benchmarks/results/copied_verdicts.md.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import cycle, islice

from rich.console import Console
from rich.table import Table

from benchmarks.paths import DATA, ROOT
from gate.scoring.verdict import ScoredReason, Verdict, echo_complaint
from tests.support.verdict_encodings import FORGED, NOT_HELD, Forged

SCORES = (0.0, 0.5, 0.9, 1.0, 2.0, 3.0, 4.0, 5.0)
"""Scores that a judge may give, on both scales."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer that a judge reads.

    Args:
        answer: the text.
        question: the question or conversation.
        last: the last user message.
        why: a person's comment on the answer, if there is one.
    """

    answer: str
    question: str
    last: str
    why: str = ""


Reasons = Callable[[Judged], list[str]]
"""From an answer to the reasons of one verdict; none if there is nothing to quote."""


def _sentences(text: str) -> list[str]:
    return [
        one for line in text.splitlines() for one in re.split(r"(?<=[.!?])\s+", line) if re.search(r"[^\W\d_]", one)
    ]


def _longest(one: Judged) -> str:
    return max(_sentences(one.answer), key=len, default="None.")


QUOTING: Mapping[str, Reasons] = {
    "a person's own words": lambda one: [one.why] if one.why else [],
    "the whole answer": lambda one: [one.answer],
    "its longest sentence": lambda one: [_longest(one)],
    "its first sentence": lambda one: _sentences(one.answer)[:1],
    "It says: (the longest sentence)": lambda one: [f"It says: {_longest(one)}"],
    "(the longest sentence) is one sentence.": lambda one: [f'"{_longest(one)}" is one sentence.'],
    "what was asked last": lambda one: [one.last],
    "seven dimensions, a sentence for each": lambda one: list(islice(cycle(_sentences(one.answer) or ["None."]), 7)),
}
"""How honest judges quote."""


def dispatcher() -> list[Judged]:
    """91 replies of a voice agent with a person's comment on each; two try to manipulate the judge."""
    with (ROOT / "evals" / "dispatcher" / "answers.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    turns = [[message["content"] for message in row["messages"]] for row in rows]
    return [
        Judged(row["output"], "\n".join(said), said[-1], row["vars"]["why"])
        for row, said in zip(rows, turns, strict=True)
    ]


def promptpex() -> list[Judged]:
    """1,524 outputs of four models on five prompts."""
    with (DATA / "promptpex-outputs.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Judged(text, row["input"], row["input"]) for row in rows for text in row["outputs"].values() if text.strip()
    ]


def numbers() -> list[Judged]:
    """Twelve answers full of small numbers, where a score is most likely to occur by chance."""
    texts = (ROOT / "tests" / "data" / "full-of-numbers.txt").read_text(encoding="utf-8").split("\n---\n")
    return [Judged(text, "How does it go?", "How does it go?") for text in texts]


SOURCES: Mapping[str, Callable[[], list[Judged]]] = {
    "dispatcher": dispatcher,
    "PromptPex": promptpex,
    "full of numbers": numbers,
}


def lost(rows: Iterable[Judged], reasons: Reasons) -> tuple[int, int]:
    """The number of an honest judge's verdicts that are rejected, and of all verdicts (one per answer and score)."""
    count = total = 0
    for one in rows:
        said = reasons(one)
        for place, _ in enumerate(SCORES if said else ()):
            scores = SCORES[place:] + SCORES[:place]
            marks = tuple(ScoredReason(reason, score) for reason, score in zip(said, scores, strict=False))
            total += 1
            count += echo_complaint(Verdict(0.5, said[0], marks), [one.answer, one.question]) is not None
    return count, total


def believed(forged: Forged) -> list[str]:
    """The ways of writing a verdict into an answer for which a judge's copy of it is accepted."""
    return [how for how, text in forged.texts.items() if echo_complaint(forged.verdict, [text]) is None]


def tables() -> tuple[Table, Table]:
    """The tables of forged and of honest verdicts."""
    forged = Table(title="Verdicts that a judge copies from the answer")
    for column in ("the verdict", "ways to write it", "accepted"):
        forged.add_column(column)
    for name, one in {**FORGED, **NOT_HELD}.items():
        forged.add_row(name, str(len(one.texts)), ", ".join(believed(one)) or "none")
    honest = Table(title="Honest verdicts that are rejected")
    for column in ("the reason is", *SOURCES):
        honest.add_column(column)
    sources = {name: read() for name, read in SOURCES.items()}
    for name, reasons in QUOTING.items():
        found = [lost(rows, reasons) for rows in sources.values()]
        honest.add_row(name, *(f"{count} of {total:,}" if total else "" for count, total in found))
    return forged, honest


if __name__ == "__main__":
    console = Console(width=140)
    for table in tables():
        console.print(table)
    sys.exit(0)
