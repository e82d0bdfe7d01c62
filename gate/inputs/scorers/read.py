"""Scorers of a case, as nodes of its file hold them."""

from pydantic import TypeAdapter

from gate.config.documents import Document
from gate.config.scorers import Scorers
from gate.config.validation import attempt
from gate.domain.case import ScorerSpec
from gate.inputs.nodes import Node, plain
from gate.inputs.problems import Problems

_SCORERS: TypeAdapter[tuple[ScorerSpec, ...]] = TypeAdapter(Scorers, config={"defer_build": True})


def read_scorers(node: Node, problems: Problems) -> tuple[ScorerSpec, ...]:
    """The list under `scorers`; mistakes are told on the line on which it begins."""
    document = Document(problems.file, {"scorers": plain(node)}).part("scorers")
    read = attempt(_SCORERS, document)
    for problem in read[1]:
        problems.add(problem.line or node.line, problem.message, problem.hint)
    return read[0] or ()
