"""Is a judge the model that it judges, or a weaker relative of it? Such judges like their own kind of answers.

(A. Panickssery, S. Bowman and S. Feng, LLM Evaluators Recognize and Favor Their Own Generations, 2024.)
Names say it, where they follow a pattern that is known; of others nothing is claimed.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gate.domain.model import ModelRef

Relation: TypeAlias = Literal["", "the same model", "the same model of another date", "a weaker model of its family"]

_DATE = re.compile(r"[-@]?(?:20\d\d-?[01]\d-?[0-3]\d|latest|[01]\d-?[0-3]\d)$")
_VERSION = re.compile(r"(\d+)(?:[.-](\d{1,2})(?!\d))?")
_SIZE = re.compile(r"(?<![\d.])(?:(\d+)x)?(\d+(?:\.\d+)?)b\b")
_GPT = re.compile(r"^(?:chat)?gpt-(\d+(?:\.\d+)?)(o?)(?:-(nano|mini|pro|turbo))?(?:-chat)?$")
_O = re.compile(r"^o(\d)(?:-(nano|mini|pro|preview))?$")
_CLAUDE = ("haiku", "sonnet", "opus")
_GEMINI = ("flash-lite", "flash", "pro")
_OPENAI_SIZES = {"nano": 0, "mini": 1, "": 2, "preview": 2, "turbo": 2, "pro": 3}
_BY_SIZE = ("llama", "qwen", "gemma", "mistral", "mixtral", "phi", "deepseek")


@dataclass(frozen=True, slots=True)
class _Rank:
    """Where a model stands among its relatives.

    Args:
        family: models of one family can be compared.
        size: larger is stronger.
        version: later is stronger, at the same size.
    """

    family: str
    size: float
    version: tuple[float, float]


def relation(judge: ModelRef, judged: ModelRef) -> Relation:
    """How a judge is related to the model that it judges; empty where that speaks against nothing, or is not known.

    Args:
        judge: who judges.
        judged: who answers.
    """
    ours, theirs = _plain(judge), _plain(judged)
    if judge == judged:
        return "the same model"
    if judge.provider in ("local", "fake", "replay") or judged.provider in ("local", "fake", "replay"):
        return ""  # names of files, and of models that are none
    if ours == theirs:
        return "the same model of another date"
    first, second = _rank(ours), _rank(theirs)
    if first is None or second is None or first.family != second.family:
        return ""
    if first.size != second.size:
        return "a weaker model of its family" if first.size < second.size else ""
    return "a weaker model of its family" if first.version < second.version else ""


def _plain(model: ModelRef) -> str:
    """The name without who hosts it, and without its date."""
    name = model.name.lower().rpartition("/")[2].removesuffix(":free")
    return _DATE.sub("", name.removeprefix("us.").removeprefix("anthropic."))


def _rank(name: str) -> _Rank | None:
    return _openai(name) or _named(name, "claude", _CLAUDE) or _named(name, "gemini", _GEMINI) or _by_size(name)


def _openai(name: str) -> _Rank | None:
    if found := _GPT.match(name):
        return _Rank("gpt", _OPENAI_SIZES[found[3] or ""], (float(found[1]), 0.5 if found[2] else 0.0))
    if found := _O.match(name):
        return _Rank("o", _OPENAI_SIZES[found[2] or ""], (float(found[1]), 0.0))
    return None


def _named(name: str, family: str, sizes: tuple[str, ...]) -> _Rank | None:
    if not name.startswith(f"{family}-"):
        return None
    size = next((place for place, word in enumerate(sizes) if word in name), None)
    if size is None:
        return None
    version = _VERSION.search(name)
    return _Rank(family, size, (float(version[1]), float(version[2] or 0)) if version else (0.0, 0.0))


def _by_size(name: str) -> _Rank | None:
    family = next((word for word in _BY_SIZE if name.startswith(word)), None)
    size = _SIZE.search(name)
    if family is None or size is None:
        return None
    version = _VERSION.search(name.replace(size[0], ""))
    billions = float(size[1] or 1) * float(size[2])
    return _Rank(family, billions, (float(version[1]), float(version[2] or 0)) if version else (0.0, 0.0))
