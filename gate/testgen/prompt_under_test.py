"""The prompt that tests are made for, and a search for passages that a model quotes from it."""

import unicodedata
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from gate.errors import GateError
from gate.prompts.version import Prompt
from gate.templates.kinds import Kind, variable_kinds
from gate.templates.rendering import compile_template
from gate.testgen.questions import read_text
from gate.values import JsonValue

CASE_VARIABLES = frozenset({"id", "slices"})
"""Variables that every template gets."""


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """One message of a prompt, or a file that it includes, in the text that the stages read.

    Args:
        role: of the message, or the file's path; empty where unknown.
    """

    start: int
    end: int
    role: str = ""
    template: bool = False


@dataclass(frozen=True, slots=True)
class PromptSubject:
    """One prompt under test.

    Args:
        text: its words; of a chat file each message after a line that names its role. Never rendered: a template's
            variables stand in it as they are written.
        variables: those that a test has to fill, sorted, `input` among them where the template uses it; empty for a
            prompt that is no template, whose only input is the user's message.
        pieces: its messages, then its files, in order. The content of a message can look like a role line; these say
            where messages really begin and end.
        kinds: of the variables other than `input`.
    """

    text: str
    variables: tuple[str, ...]
    digest: str
    pieces: tuple[PromptPiece, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def structured(self) -> bool:
        """Tests fill variables, not only a message."""
        return any(name != "input" for name in self.variables)


def subject_of(prompt: Prompt) -> PromptSubject:
    """A prompt as the stages read it.

    Raises:
        GateError: code builds the prompt, so there is no text to read.
    """
    if prompt.built is not None:
        raise GateError(
            "tests cannot be generated for a prompt that a Python function builds",
            "write one of its texts to a file, and use that file",
        )
    contents = [message.content for message in prompt.messages]
    names: set[str] = set()
    if prompt.template:
        for text in (text for message in prompt.messages for text in message.texts):
            names |= compile_template(text, prompt.parts).names - CASE_VARIABLES
    single = len(contents) == 1
    said = [(str(one.role), one.content, prompt.template) for one in prompt.messages]
    said += [(f"file {part.path}", part.text, part.template) for part in prompt.parts.files]
    text, pieces = "", list[PromptPiece]()
    for role, content, template in said:
        text += "\n\n" if pieces else ""
        text += "" if single and not pieces else f"[{role}]\n"
        pieces.append(PromptPiece(len(text), len(text) + len(content), role, template))
        text += content
    kinds = variable_kinds(contents, names - {"input"}, prompt.parts) if names else {}
    return PromptSubject(text, tuple(sorted(names)), prompt.digest, tuple(pieces), kinds)


_QUOTES = frozenset("\"'`´‘’‚‛“”„‟«»‹›「」『』*\\")
"""Quotation marks, and the marks of Markdown and of strings that models leave out or put in when they copy."""
_ENDS = ".,;:!?-。、，；：！？·•"
_TELLING = 3
_LOOKS = 1_000
"""Places that are tried for one passage: a text may hold it a million times, always within a word."""
_SPACED = "\u0e00"
"""From Thai on, most scripts write words without spaces between them."""


@dataclass(frozen=True, slots=True)
class Span:
    """A passage exactly as in the text; `start` in characters."""

    start: int
    text: str


class Passages:
    """Finds passages of one text, whatever their case, white space, quotation marks and compatible spellings."""

    def __init__(self, text: str) -> None:
        self.text = text
        folds = {char: folded_text(char) for char in set(text)}
        self._folded = "".join(folds[char] for char in text)
        self._places = array("L", (place for place, char in enumerate(text) for _ in folds[char]))

    def find(self, copied: str) -> Span | None:
        """The first place with these whole words, or None; punctuation and dashes at the ends of a copy may differ."""
        copied = copied.strip()
        whole = folded_text(copied)
        for words in dict.fromkeys((whole, whole.strip(_ENDS))):
            letters = "".join(char for char in words if char.isalnum())
            # In bytes: one Chinese character says as much as a short word.
            if len(letters.encode("utf-8", "surrogatepass")) >= _TELLING:
                span = self._whole_words(words)
                if span is not None:
                    start, end = self._with_quotes(*span, copied)
                    return Span(start, self.text[start:end])
        return None

    def _whole_words(self, words: str) -> tuple[int, int] | None:
        at = -1
        for _ in range(_LOOKS):
            at = self._folded.find(words, at + 1)
            if at < 0:
                break
            start, end = self._places[at], self._places[at + len(words) - 1] + 1
            if not (_cuts(self.text, start) or _cuts(self.text, end)):
                return start, end
        return None

    def _with_quotes(self, start: int, end: int, copied: str) -> tuple[int, int]:
        """With the quotation marks at both ends of the copy, where the text has them."""
        while copied[0] in _QUOTES and start and self.text[start - 1] in _QUOTES:
            start -= 1
        while copied[-1] in _QUOTES and end < len(self.text) and self.text[end] in _QUOTES:
            end += 1
        return start, end


@lru_cache(maxsize=4)
def passages_of(text: str) -> Passages:
    """The passages of a prompt; cached, since several stages use them."""
    return Passages(text)


def folded_text(text: str) -> str:
    """The text without case, white space, quotation marks and invisible characters."""
    spelled = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(
        char for char in spelled if not (char.isspace() or char in _QUOTES or unicodedata.category(char) == "Cf")
    )


def same_words(text: str) -> str:
    """A key: two sentences with the same key say the same in the same words."""
    return folded_text(text).strip(_ENDS)


def read_line(found: Mapping[str, JsonValue], key: str, most: int = 1_000, *, blank: bool = False) -> str:
    """A text of an object, on one line of at most `most` characters.

    Raises:
        Malformed: it is missing, no text, empty (unless `blank`), or too long.
    """
    return " ".join(read_text(found, key, most, blank=blank).split())


def _cuts(text: str, place: int) -> bool:
    """Does a cut at this place split a word?"""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    return before.isalnum() and after.isalnum() and before < _SPACED and after < _SPACED
