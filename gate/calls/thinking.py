"""Thinking that a model writes before its answer, such as `<think>…</think>`: it is no part of the answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TAG = re.compile(
    r"(?<![`'\"“])(?:<(?P<xml>/?)(?i:seed:think|thinking|think|reasoning|thought)>|\[(?P<bracket>/?)THINK\]|◁(?P<arrow>/?)think▷)(?![`'\"”])"
)
"""A tag of DeepSeek, Qwen, Seed, Magistral or Kimi; one in quotation marks or backticks is talked about."""


@dataclass(frozen=True, slots=True)
class ThoughtfulText:
    """The parts of a reply's text.

    Args:
        finished: the answer began; otherwise the reply was cut off inside the thinking.
    """

    thinking: str
    answer: str
    finished: bool = True


def split_thinking(text: str) -> ThoughtfulText:
    """Separate the thinking from the answer.

    Chat templates of some models end with the opening tag, so that the reply has only the closing one.
    """
    tags = list(_TAG.finditer(text))
    if not tags:
        return ThoughtfulText("", text)
    at, end = 0, 0
    thoughts = []
    while at < len(tags):
        opened = _opens(tags[at]) and not text[end : tags[at].start()].strip()
        if not opened and thoughts:
            break
        close = _closing(tags, at + opened)
        if close is None and not opened:
            break
        start = tags[at].end() if opened else end
        if close is None:
            close = max((number for number in range(at, len(tags)) if not _opens(tags[number])), default=None)
        if close is None:
            return ThoughtfulText("\n\n".join([*thoughts, text[start:].strip()]), "", finished=False)
        thoughts.append(text[start : tags[close].start()].strip())
        at, end = close + 1, tags[close].end()
    return ThoughtfulText("\n\n".join(filter(None, thoughts)), text[end:].lstrip() if thoughts else text)


def _opens(tag: re.Match[str]) -> bool:
    return not (tag["xml"] or tag["bracket"] or tag["arrow"])


def _closing(tags: Sequence[re.Match[str]], after: int) -> int | None:
    """The tag that closes an open one; tags between them may be nested."""
    depth = 1
    for number in range(after, len(tags)):
        depth += 1 if _opens(tags[number]) else -1
        if not depth:
            return number
    return None
