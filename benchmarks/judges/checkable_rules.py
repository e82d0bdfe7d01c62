"""Rules of the five PromptPex prompts that code can check without judgement.

The rules are lenient: an output that fails one breaks the prompt on any reading. An output that passes all rules may
still break the prompt in a way that this code does not check.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)\n?```", re.DOTALL)
_QUOTED_TAG = re.compile(r"`</?(?:p|strong|em)>`")
_PARAGRAPH = re.compile(r"<p\b[^>]*>(.*?)(?=</p>|<p\b|\Z)", re.IGNORECASE | re.DOTALL)
_ARRAY = re.compile(r"\[[^\[\]]*\]")
_WORD = re.compile(r"'?[a-z]+(?:'[a-z]+)?")

CATEGORIES = ("World", "Sports", "Business", "Sci/Tech")
ARCHAIC = frozenset(
    "thou thee thy thine hath doth dost hast art ye wherefore whence whither hither thither ere oft methinks prithee "
    "forsooth verily hark anon nay aye yon yonder betwixt o'er ne'er e'er wilt shalt canst didst wouldst couldst "
    "shouldst wert hence unto upon hadst mayst fain alas lo 'tis 'twas 'twere".split()
)
"""Many more words than the prompt's `thou` and `hath`: an answer without any of them is not in Shakespearean style."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of one prompt.

    Args:
        prompt: name of the prompt.
        name: short name.
        words: the words of the prompt that state the rule.
        kept: whether an output keeps the rule.
    """

    prompt: str
    name: str
    words: str
    kept: Callable[[str], bool]


def paragraphs(output: str) -> list[str]:
    """The contents of `<p>` elements. Only fences count in a fenced answer, and tags quoted in prose do not count."""
    fenced = _FENCE.findall(output)
    return _PARAGRAPH.findall(_QUOTED_TAG.sub("", "\n".join(fenced) if fenced else output))


def array_of_names(output: str) -> bool:
    """Whether it is a JSON array of one text or more. A fence and the backslashes of the prompt are accepted."""
    fenced = _FENCE.search(output)
    text = (fenced[1] if fenced else output).strip().replace('\\"', '"')
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def fault_of_array(output: str) -> str:
    """Why an output is no array of names: `nested`, `words around it`, `something else`."""
    text = output.strip().replace('\\"', '"')
    if text.startswith("[["):
        return "nested"
    return "words around it" if any(array_of_names(found) for found in _ARRAY.findall(text)) else "something else"


def categories(output: str) -> set[str]:
    """The categories that an output names, as the prompt spells them."""
    return {name for name in CATEGORIES if re.search(rf"(?<![\w/]){re.escape(name)}(?![\w/])", output)}


def archaic(output: str) -> bool:
    """Whether there is a word of Shakespeare's English."""
    return not ARCHAIC.isdisjoint(_WORD.findall(output.replace("’", "'").lower()))


def _each(paragraph: Callable[[str], bool]) -> Callable[[str], bool]:
    def kept(output: str) -> bool:
        found = paragraphs(output)
        return bool(found) and all(map(paragraph, found))

    return kept


def _tags(text: str, name: str) -> int:
    return len(re.findall(rf"<{name}\b[^>]*>", text, re.IGNORECASE))


RULES = (
    Rule("text-to-p", "three <p>", "at least three <p> tags", lambda output: len(paragraphs(output)) >= 3),
    Rule(
        "text-to-p",
        "one <strong>",
        "inside each <p> tag, add one <strong> tag",
        _each(lambda p: _tags(p, "strong") == 1),
    ),
    Rule("text-to-p", "some <em>", "inside each <p> tag, … multiple <em> tags", _each(lambda p: _tags(p, "em") >= 1)),
    Rule("extract-names", "array of names", "Your response is an array of the model names", array_of_names),
    Rule("classify", "a category", "one of the following categories", lambda output: bool(categories(output))),
    Rule("shakespeare", "an archaic word", 'words like "thou" and "hath"', archaic),
)
"""There is none for `sentence`, because the quality of a rewritten sentence is a matter of taste."""

STRICT = (
    Rule("text-to-p", "two <em>", "inside each <p> tag, … multiple <em> tags", _each(lambda p: _tags(p, "em") >= 2)),
)
"""Further rules that follow from the words but may be too strict. They are listed separately and do not count as
broken."""


def broken(prompt: str, output: str) -> tuple[str, ...]:
    """The names of the rules that an output breaks."""
    return tuple(rule.name for rule in BY_PROMPT.get(prompt, ()) if not rule.kept(output))


BY_PROMPT: Mapping[str, tuple[Rule, ...]] = {
    prompt: tuple(rule for rule in RULES if rule.prompt == prompt)
    for prompt in dict.fromkeys(rule.prompt for rule in RULES)
}
