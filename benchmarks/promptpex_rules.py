"""What code can show about outputs of the five PromptPex prompts: rules that stand in the prompts and need no taste.

A rule is read mildly: whatever it fails breaks the prompt's words on any reading. What passes every rule may still
break the prompt in ways that no code here looks for.
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
"""Far beyond the prompt's own `thou` and `hath`: an answer without any of them is in no Shakespearean style."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of one prompt.

    Args:
        prompt: which.
        name: short.
        words: of the prompt, from which it follows.
        kept: does an output keep it?
    """

    prompt: str
    name: str
    words: str
    kept: Callable[[str], bool]


def paragraphs(output: str) -> list[str]:
    """What the `<p>` elements hold; of a fenced answer only what the fences hold, and no tag that prose quotes."""
    fenced = _FENCE.findall(output)
    return _PARAGRAPH.findall(_QUOTED_TAG.sub("", "\n".join(fenced) if fenced else output))


def array_of_names(output: str) -> bool:
    """A JSON array of one text or more; a fence around it, and the backslashes that the prompt shows, are let pass."""
    fenced = _FENCE.search(output)
    text = (fenced[1] if fenced else output).strip().replace('\\"', '"')
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def fault_of_array(output: str) -> str:
    """How an output fails to be an array of names: `nested`, `words around it`, `something else`."""
    text = output.strip().replace('\\"', '"')
    if text.startswith("[["):
        return "nested"
    return "words around it" if any(array_of_names(found) for found in _ARRAY.findall(text)) else "something else"


def categories(output: str) -> set[str]:
    """The categories that an output names, spelled as the prompt spells them."""
    return {name for name in CATEGORIES if re.search(rf"(?<![\w/]){re.escape(name)}(?![\w/])", output)}


def archaic(output: str) -> bool:
    """Some word of Shakespeare's English."""
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
"""Without one for `sentence`: what makes a rewritten sentence good is a matter of taste."""

STRICT = (
    Rule("text-to-p", "two <em>", "inside each <p> tag, … multiple <em> tags", _each(lambda p: _tags(p, "em") >= 2)),
)
"""Rules that follow from the words, too, and that a reader may hold to be too strict: told apart, and no part of what
code counts as broken."""


def broken(prompt: str, output: str) -> tuple[str, ...]:
    """Names of the rules that an output breaks."""
    return tuple(rule.name for rule in BY_PROMPT.get(prompt, ()) if not rule.kept(output))


BY_PROMPT: Mapping[str, tuple[Rule, ...]] = {
    prompt: tuple(rule for rule in RULES if rule.prompt == prompt)
    for prompt in dict.fromkeys(rule.prompt for rule in RULES)
}
