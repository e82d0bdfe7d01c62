"""One case of a run with the answers of both arms beside each other, for those who show it."""

from dataclasses import dataclass

from gate.report.differences.words import Piece
from gate.report.parts.conversations import TalkView


@dataclass(frozen=True, slots=True)
class Group:
    """Figures of one kind that a score was made of.

    Args:
        kind: in words.
        figures: each with its name.
    """

    kind: str
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RoundView:
    """What one scorer said of one round.

    Args:
        name: `Round 1`.
        value: as a figure.
        reason: empty where none was kept.
    """

    name: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class Scored:
    """What one scorer said.

    Args:
        scorer: its name; empty where only the reason was kept.
        value: as a figure; empty where only the reason was kept.
        reason: what it said, or why there is no score; empty where the rounds say it.
        required: a failure makes the sample 0.
        groups: what the score was made of, beside rounds.
        rounds: of a conversation, in their order.
    """

    scorer: str
    value: str
    reason: str
    required: bool = False
    groups: tuple[Group, ...] = ()
    rounds: tuple[RoundView, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """One answer of one arm.

    Args:
        index: of the sample, counted from 0.
        pieces: of the text; None where there is no answer.
        failure: why there is none, or empty.
        score: as a figure.
        scores: of each scorer.
        facts: model, time, tokens, price.
        talk: the conversation, where there was one.
        long: more of the text is there than is shown.
    """

    index: int
    pieces: tuple[Piece, ...] | None
    failure: str
    score: str
    scores: tuple[Scored, ...]
    facts: str = ""
    talk: TalkView | None = None
    long: bool = False

    @property
    def text(self) -> str | None:
        """All that is shown of it."""
        return None if self.pieces is None else "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Pair:
    """The same sample of both arms.

    Args:
        number: counted from 1.
        baseline: None where there is no such arm, or it was not kept.
        candidate: None where it was not kept.
        how: of what the marks are: `words`, `lines`, `texts`; empty where there is nothing to compare.
    """

    number: int
    baseline: Given | None
    candidate: Given | None
    how: str


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A case with its answers.

    Args:
        id: as it is.
        name: for a reader.
        where: file and line.
        slices: in words.
        question, expected: None where the record does not have them.
        alone: there is one arm.
        baseline, candidate: mean scores.
        change: signed, or a dash.
        pairs: sample by sample.
        whole: all samples were kept, not only those of informative cases.
    """

    id: str
    name: str
    where: str
    slices: str
    question: str | None
    expected: str | None
    alone: bool
    baseline: str
    candidate: str
    change: str
    pairs: tuple[Pair, ...]
    whole: bool
