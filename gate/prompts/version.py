"""A prompt at one git ref."""

import json
import keyword
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from gate.config.documents import decode, one_problem, printable, quoted
from gate.errors import InputErrors, Problem
from gate.limits import INCLUDES, PART_DEPTH, PARTS, PROMPT_CHARS
from gate.messages import NO_PARTS, Message, Part, Parts
from gate.record.transcript import Failed
from gate.templates.rendering import names_in, resolved
from gate.templates.sandbox import BadTemplate, parsed, sandbox
from gate.values import JsonValue, digest


@dataclass(frozen=True, slots=True)
class FunctionTexts:
    """Texts of a Python function for the session of each case."""

    texts: Mapping[str, str | Failed]

    @property
    def failures(self) -> tuple[Failed, ...]:
        """One for each session without a text."""
        return tuple(text for text in self.texts.values() if isinstance(text, Failed))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A parsed prompt file, before a case is filled in.

    Args:
        messages: of the file; plain text and templates are one `system` message, a function has none.
        template: contents are Jinja2, rendered per case.
        chat: the file has messages with roles.
        built: the texts of a Python function; None for a file.
        unused: the file's own settings of the model, key to JSON; not used, and not part of any digest.
        defaults: values of variables that a case does not set.
        threads: the variable whose turns are sent in place of a message, by the message's position.
        made: variables of which code makes the values, with digests of that code; empty for a plain name.
    """

    messages: tuple[Message, ...]
    template: bool = False
    chat: bool = False
    parts: Parts = NO_PARTS
    built: FunctionTexts | None = None
    unused: tuple[tuple[str, str], ...] = ()
    defaults: Mapping[str, JsonValue] = field(default_factory=dict)
    threads: Mapping[int, str] = field(default_factory=dict)
    made: tuple[tuple[str, str], ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the files that it includes, and of its images."""
        images = (image.path for message in self.messages for image in message.images if image.path)
        return tuple(dict.fromkeys((*(part.path for part in self.parts.files), *images)))

    @property
    def digest(self) -> str:
        """SHA-256 of everything that can change the request."""
        turns: list[JsonValue] = [list(message.told) for message in self.messages]
        told: dict[str, JsonValue] = {"messages": turns, "template": self.template, "chat": self.chat}
        if self.parts.files:
            parts: list[JsonValue] = [[part.path, part.text, part.template] for part in self.parts.files]
            told |= {"path": self.parts.path, "parts": parts}
        if self.defaults or self.threads:
            told |= {"defaults": dict(self.defaults), "threads": {str(at): name for at, name in self.threads.items()}}
        made: list[JsonValue] = [list(one) for one in self.made if one[1]]
        if made:
            told["made"] = made
        if self.built is not None:
            told["built"] = {key: _told(text) for key, text in self.built.texts.items()}
        return digest(told)


def _told(text: str | Failed) -> JsonValue:
    return ["failed", text.reason] if isinstance(text, Failed) else text


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """One prompt at one git ref (or in one file, in file mode).

    Args:
        path: repository path, or the file's path in file mode; `python:module:function` for a function.
        ref: as the user named it: `origin/main`, `HEAD`, `working tree`, `file`.
    """

    path: str
    ref: str
    sha: str | None
    prompt: Prompt


TEMPLATE_ENDINGS = (".j2", ".jinja", ".jinja2")


@dataclass(frozen=True, slots=True)
class Library:
    """Reads the files that a prompt includes.

    Args:
        path: of the prompt, from the root of `read`.
        read: the bytes of a file, None where there is none; InputErrors for what is not a regular file inside the root.
        named: the path to show to the user.
    """

    path: str
    read: Callable[[str], bytes | None]
    named: Callable[[str], str] = str


@dataclass(frozen=True, slots=True)
class Include:
    """One include."""

    line: int
    path: str


def gather(contents: Sequence[tuple[int, str]], library: Library) -> Parts:
    """Read all files that a prompt includes.

    Args:
        contents: the prompt's templates, each with the line of its message; 0 where the template is the whole file.

    Raises:
        InputErrors: all errors in includes and included files, each with file and line.
    """
    walk = _Walk(library)
    for line, content in contents:
        walk.look(library.path, content, line)
    while walk.waiting and not walk.full:
        path = walk.waiting.popleft()
        walk.fetch(path)
    if contents and not walk.problems:
        _check_shape(walk)
    if walk.problems:
        raise InputErrors(walk.problems)
    return Parts(library.path, tuple(walk.parts.values())) if walk.parts else NO_PARTS


@dataclass(slots=True)
class _Walk:
    """State of reading."""

    library: Library
    uses: dict[str, list[Include]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    asked: dict[str, tuple[str, int]] = field(default_factory=dict)
    waiting: deque[str] = field(default_factory=deque)
    problems: list[Problem] = field(default_factory=list)
    full: bool = False

    def add(self, place: tuple[str, int], message: str, hint: str = "") -> None:
        """Note an error in a file, at a line."""
        path, line = place
        self.problems += one_problem(self.library.named(path), line, message, hint).problems

    def look(self, path: str, text: str, line: int = 0) -> None:
        """Find the includes of a template; `line` is that of its message, 0 where it is the whole file."""
        self.uses.setdefault(path, [])
        self.sizes[path] = self.sizes.get(path, 0) + len(text)
        try:
            found = list(names_in(parsed(sandbox(), text)))
        except BadTemplate as error:
            what = "prompt" if path == self.library.path else "included file"
            self.add((path, line or error.line), error.message, f"the {what} is read as a Jinja2 template")
            return
        # Each file is used once at least, so that no more of them need be read.
        if len(found) + sum(len(uses) for uses in self.uses.values()) > INCLUDES:
            self.full = True
            self.add((path, line), f"the prompt has more than {INCLUDES:,} includes", "use fewer includes")
            return
        for own, name, reason in found:
            place = path, line or own
            if reason:
                self.add(place, reason, 'write {% include "path" %} without other options')
                continue
            part, why = resolved(path, name)
            if why:
                self.add(place, f"the path {quoted(name)} {why}", _RELATIVE)
                continue
            self.uses[path].append(Include(place[1], part))
            self.ask(part, place)

    def ask(self, part: str, place: tuple[str, int]) -> None:
        """Queue a part, once."""
        if part in self.asked or part == self.library.path or self.full:
            return
        if len(self.asked) == PARTS:
            self.full = True
            self.add(place, f"the prompt includes more than {PARTS} files", "merge some of them")
            return
        self.asked[part] = place
        self.waiting.append(part)

    def fetch(self, path: str) -> None:
        """Read one part, and find its own includes."""
        try:
            text = self._text(path)
        except InputErrors as errors:
            self.problems += errors.problems
            return
        if text is None:
            return
        template = PurePosixPath(path).suffix.lower() in TEMPLATE_ENDINGS
        self.parts[path] = Part(path, text, template)
        if template:
            self.look(path, text)
        else:
            self.uses[path], self.sizes[path] = [], len(text)

    def _text(self, path: str) -> str | None:
        try:
            data = self.library.read(path)
        except InputErrors as errors:
            for problem in errors.problems:
                self.add(self.asked[path], f"{quoted(path)} cannot be included: it {problem.message}", problem.hint)
            return None
        if data is None:
            self.add(self.asked[path], f"there is no such part: {printable(path)}", _RELATIVE)
            return None
        text = decode(data, self.library.named(path)).replace("\r\n", "\n").removesuffix("\n")
        if len(text) + sum(self.sizes.values()) > PROMPT_CHARS:
            self.full = True
            self.add(self.asked[path], _TOO_LONG, "shorten the prompt")
            return None
        return text


@dataclass(frozen=True, slots=True)
class _Extent:
    """A file with all that it includes: characters, includes, and depth."""

    chars: int
    includes: int = 0
    depth: int = 0


def _check_shape(walk: _Walk) -> None:
    """Refuse endless includes, and few files that expand to a great size; each file is read once."""
    root = walk.library.path
    known: dict[str, _Extent] = {}
    _extent(walk, [root], known)
    if walk.problems:
        return
    whole = known[root]
    if whole.depth > PART_DEPTH:
        line = max(walk.uses[root], key=lambda use: known[use.path].depth).line
        walk.add((root, line), f"includes are nested more than {PART_DEPTH} deep", "use fewer includes")
    if whole.includes > INCLUDES:
        walk.add((root, 0), f"has more than {INCLUDES:,} includes", "use fewer includes")
    if whole.chars > PROMPT_CHARS:
        walk.add((root, 0), _TOO_LONG, "shorten the prompt")


def _extent(walk: _Walk, way: list[str], known: dict[str, _Extent]) -> _Extent:
    """The extent of the last file in `way`, the chain of includes that led to it."""
    path = way[-1]
    if path in known:
        return known[path]
    total = _Extent(walk.sizes[path])
    for use in walk.uses[path]:
        if use.path in way:
            circle = " → ".join(printable(step) for step in (*way[way.index(use.path) :], use.path))
            walk.add((path, use.line), f"the file includes itself: {circle}", "remove this include")
            continue
        inner = _extent(walk, [*way, use.path], known)
        total = _Extent(
            total.chars + inner.chars, total.includes + inner.includes + 1, max(total.depth, inner.depth + 1)
        )
    known[path] = total
    return total


_RELATIVE = "paths are relative to the file with the include; start with '/' for the root of the repository"
_TOO_LONG = f"with its included files, the prompt is longer than {PROMPT_CHARS:,} characters"


TODAY = "today"
"""In every suite the day on which the run began, unless the configuration sets one."""


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with `{name}` replaced; other braces stay as they are."""
    if not values or "{" not in text:
        return text
    names = "|".join(map(re.escape, values))
    # In `{{ name }}` the braces are a template's.
    return re.sub(rf"(?<!{{)\{{({names})\}}(?!}})", lambda found: values[found[1]], text)


RESERVED = frozenset(
    (*keyword.kwlist, "true", "false", "none", "self", "loop", "super", "caller", "varargs", "kwargs", "range", "dict")
)
"""Words with a special meaning in Jinja2."""
_SIGN = re.compile(r"\{(?=[{%#]|\Z)|\r")
"""What would begin a tag, and what templates read as another line end."""


def literal(text: str) -> str:
    """Jinja2 source that renders to the text itself."""
    return _SIGN.sub(lambda found: "{{ '{' }}" if found[0] == "{" else "{{ '\\r' }}", text)


@dataclass(frozen=True, slots=True)
class PlaceholderRules:
    """The kind of a text's placeholders.

    Args:
        template: True for Jinja2, False for no placeholders, None to find the kind from the text.
        kept: names that stay as `{name}`, because the run fills them in.
        nunjucks: the text is a prompt of promptfoo, whatever its file.
    """

    template: bool | None = None
    kept: frozenset[str] = frozenset((TODAY,))
    nunjucks: bool = False


AS_SHOWN = PlaceholderRules()


PROMPTY = ".prompty"


@dataclass(frozen=True, slots=True)
class ForeignPrompt:
    """The supported part of a `.prompty` or `.prompt.yml` file.

    Args:
        messages: as templates, each with its line.
        defaults: values of variables that a case does not set; an empty text for an input without a value.
        threads: the variable with the turns that take the place of a message, by the message's position.
        files: what its front matter refers to.
    """

    messages: tuple[tuple[int, Message], ...]
    settings: tuple[tuple[str, str], ...]
    defaults: Mapping[str, JsonValue] = field(default_factory=dict)
    threads: Mapping[int, str] = field(default_factory=dict)
    files: tuple[Part, ...] = ()


def is_prompty(path: str) -> bool:
    """Is this a `.prompty` file, by its name?"""
    return path.lower().endswith(PROMPTY)


def own_settings(entries: Mapping[str, JsonValue], keys: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The settings of a file, each as key and JSON value."""
    return tuple((key, json.dumps(entries[key], sort_keys=True, ensure_ascii=False)) for key in keys if key in entries)
