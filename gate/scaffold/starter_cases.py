"""Starter cases, for lack of data: made for the variables of a prompt, and to be replaced."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any

from gate.cases.stored import Entry
from gate.config.documents import read_yaml
from gate.scaffold.discovery import FoundPrompt
from gate.scoring.validators.language import likeliest_language
from gate.values import JsonValue

STARTERS = ("en", "de", "fr", "es", "ja")
"""Languages of the starter cases."""
SLICE = "kind"
"""Dimension of the cases."""
NOTE = "A starter case, to be replaced by one of yours."

_TEXTS = frozenset(
    "text content document article review email mail message passage transcript ticket feedback comment description "
    "body post paragraph abstract sentence source snippet context conversation invoice receipt contract report notes "
    "tweet complaint resume".split()
)
"""Variables for the text that a prompt works on."""
_QUESTIONS = frozenset("question query user_input user_message request prompt utterance user_query".split())
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset("the a and or of to is are be you your for with if not it this that from as answer only".split())
_SHARE = 5
"""At least one in so many words of an English text is one of these."""
_PLACEHOLDER = re.compile(r"\{\{?[^{}]*\}?\}|\{%[^%]*%\}")
_LOOKED_AT = 10
"""Prompts of a group that decide on its language."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LOOP = re.compile(r"\bfor (\w{1,40}) in ([^\W\d]\w*)")
_FIELD = re.compile(r"(?<![\w.])([^\W\d]\w*)\.([^\W\d]\w{0,39})(?!\w|\()")
_FORMS = frozenset("{[<")
"""First signs of JSON and markup."""
_EXAMPLE = re.compile(r"^([A-Z][\w ]{0,30}):[ \t]*(\S.*)$")


@dataclass(frozen=True, slots=True)
class ExampleHeads:
    """The headings of examples in a prompt, such as `Review` and `Label`.

    Args:
        given: before the input.
        wanted: before the output; empty where it begins on the next line without any.
    """

    given: str
    wanted: str


@dataclass(frozen=True, slots=True)
class _Data:
    """The texts of one language; see `templates/inputs/en.yaml`."""

    said: Mapping[str, Mapping[str, list[str]]]
    values: Mapping[str, str]
    heads: Mapping[str, ExampleHeads]
    work: re.Pattern[str]


def starter_cases(prompts: Iterable[FoundPrompt], *, continues: bool = False) -> tuple[Entry, ...]:
    """Twenty cases that fit all of the prompts, half of them usual.

    Args:
        prompts: one, or several that share their cases.
        continues: the model continues a text, so that question and answer need headings.
    """
    every = tuple(prompts)
    variables = tuple(dict.fromkeys(name for one in every for name in one.variables))
    payload = frozenset(name for one in every for name in _payload(one))
    asks_input = any("input" in one.names for one in every) or not payload
    kind = "text" if works_on_text(every) else "talk"
    data = _data(starter_language(every))
    heads = heads_of(every[0].text) if len(every) == 1 and not variables else None
    if heads is None and continues and not variables:
        heads = data.heads[kind]
    shapes = _shapes(variables, (one.text for one in every))
    return tuple(_cases(data, kind, shapes, _Asked(asks_input, payload, heads)))


def works_on_text(prompts: Iterable[FoundPrompt]) -> bool:
    """Do the prompts work on a text, without answering a person?"""
    return all(map(_works_on_text, prompts))


def has_made_up_heads(entries: Iterable[Entry]) -> bool:
    """Do the cases have headings that no example of the prompt has?"""
    heads = tuple(f"{one.given}: " for name in STARTERS for one in _data(name).heads.values())
    return any(str(entry.get("input")).startswith(heads) for entry in entries)


def starter_language(prompts: Iterable[FoundPrompt]) -> str:
    """The language of starter cases for these prompts: their own where there are any in it, else English."""
    found = language_of(prompts)
    return found if found in STARTERS else "en"


def language_of(prompts: Iterable[FoundPrompt]) -> str:
    """The most likely language of the prompts; English in doubt."""
    seen = Counter(_language(one.text) for one in islice(prompts, _LOOKED_AT))
    return seen.most_common(1)[0][0] if seen else "en"


@cache
def _language(text: str) -> str:
    words = _WORD.findall(text.lower())
    # Most prompts are English, and told at once; the detector takes half a second to load.
    if sum(word in _ENGLISH for word in words) * _SHARE >= len(words):
        return "en"
    return likeliest_language(_PLACEHOLDER.sub(" ", text), "en")


def heads_of(text: str) -> ExampleHeads | None:
    """The headings of examples like `Review: …` and `Label: …` in a prompt; None where it has none.

    The output needs no heading where it is JSON or markup on the next line.
    """
    every = text.splitlines()
    lines = [found for line in every if (found := _EXAMPLE.match(line))]
    pairs = Counter((one[1], other[1]) for one, other in zip(lines, lines[1:], strict=False) if one[1] != other[1])
    below = [other[:1] in _FORMS and _EXAMPLE.match(one) for one, other in zip(every, every[1:], strict=False)]
    pairs.update((found[1], "") for found in below if found)
    most = pairs.most_common(1)
    return ExampleHeads(*most[0][0]) if most and most[0][1] >= 2 else None


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a template uses a variable.

    Args:
        listed: loops over it.
        fields: of it, or of its items.
    """

    listed: bool = False
    fields: tuple[str, ...] = ()


def _shapes(names: Iterable[str], texts: Iterable[str]) -> dict[str, _Shape]:
    """The use of each variable, found in one pass: a template may have thousands of them."""
    whole = "\n".join(texts)
    loops: dict[str, str] = {}
    for item, of in _LOOP.findall(whole):
        loops.setdefault(of, item)
    fields: dict[str, dict[str, None]] = {}
    for of, field in _FIELD.findall(whole):
        fields.setdefault(of, {})[field] = None
    return {name: _Shape(name in loops, tuple(fields.get(loops.get(name, name), ()))) for name in names}


@dataclass(frozen=True, slots=True)
class _Asked:
    """Where the text of a case goes.

    Args:
        input: it is the user's message.
        payload: variables that hold it.
    """

    input: bool
    payload: frozenset[str]
    heads: ExampleHeads | None


def _cases(data: _Data, kind: str, variables: Mapping[str, _Shape], asked: _Asked) -> Iterator[Entry]:
    heads, number = asked.heads, 0
    for group, texts in data.said[kind].items():
        for text in texts:
            number += 1
            said = f"{heads.given}: {text}\n{heads.wanted}{':' if heads.wanted else ''}" if heads else text
            values = {**data.values, **dict.fromkeys(asked.payload, text)}
            filled = {name: _shaped(name, shape, text, values) for name, shape in variables.items()}
            case: dict[str, JsonValue] = {"id": f"starter-{number:02d}", "description": NOTE}
            if asked.input:
                case["input"] = said
            if filled:
                case["vars"] = dict(filled)
            yield {**case, "slices": {SLICE: group}}


def _shaped(name: str, shape: _Shape, text: str, values: Mapping[str, str]) -> JsonValue:
    inner: JsonValue = _value(name, text, values)
    if shape.fields:
        inner = {field: _value(field, text, values) for field in shape.fields}
    return [inner] if shape.listed else inner


def _value(name: str, text: str, values: Mapping[str, str]) -> str:
    if _holds(name, _TEXTS | _QUESTIONS):
        return text
    return values.get(name, values.get(name.lower(), f"example {name.replace('_', ' ')}"))


def _holds(name: str, words: frozenset[str]) -> bool:
    """Is this the name of the variable, or does it end in such a word: `invoice_text`, `emailBody`?"""
    parts = _PART.findall(name)
    return name.lower() in words or bool(parts) and parts[-1].lower() in words


def _payload(prompt: FoundPrompt) -> tuple[str, ...]:
    """The variables that hold what the prompt works on."""
    called = tuple(name for name in prompt.variables if _holds(name, _TEXTS | _QUESTIONS))
    data = _data(starter_language((prompt,)))
    if called or "input" in prompt.names or not data.work.search(prompt.text):
        return called
    others = tuple(name for name in prompt.variables if name.lower() not in data.values)
    return others if len(others) == 1 else ()


def _works_on_text(prompt: FoundPrompt) -> bool:
    if any(_holds(name, _QUESTIONS) for name in prompt.variables):
        return False
    work = _data(starter_language((prompt,))).work
    return any(_holds(name, _TEXTS) for name in prompt.variables) or work.search(prompt.text) is not None


@cache
def _data(language: str) -> _Data:
    own = _file(language)
    said = {kind: own[kind] for kind in ("talk", "text")}
    heads = {kind: ExampleHeads(*pair) for kind, pair in own["heads"].items()}
    values = {**_file("en")["values"], **own["values"]}
    return _Data(said, values, heads, re.compile(own["work"], re.IGNORECASE))


def _file(language: str) -> dict[str, Any]:
    """A file of the package, checked by `_data`."""
    folder = resources.files("gate.scaffold").joinpath("templates", "inputs")
    found = read_yaml(folder.joinpath(f"{language}.yaml").read_text(encoding="utf-8"), f"{language}.yaml").data
    if not isinstance(found, dict):
        raise TypeError(f"{language}.yaml is a mapping")
    return found
