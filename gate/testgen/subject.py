"""The prompt that tests are made for, as the stages read it."""

from dataclasses import dataclass

from gate.domain.prompt import Prompt
from gate.errors import GateError
from gate.inputs.templates import compile_template

GIVEN = frozenset({"id", "slices"})
"""Variables that the gate itself gives a template."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One message of a prompt, or a file that it pulls in, in the text that the stages read.

    Args:
        start, end: place of its content, in characters.
        role: of the message, or the file's path; empty where nobody said.
        template: it is rendered.
    """

    start: int
    end: int
    role: str = ""
    template: bool = False


@dataclass(frozen=True, slots=True)
class PromptSubject:
    """One prompt under test.

    Args:
        text: its words; of a chat file each message after a line that names its role. Never rendered, so that a
            template's variables stand in it as they are written.
        variables: those that a test has to fill, sorted, `input` among them where the template uses it; empty for a
            prompt that is no template, whose only input is the user's message.
        digest: of the prompt.
        pieces: its messages, then its files, in order. What a message says can look like the line above another one;
            where messages begin and end is known from here.
    """

    text: str
    variables: tuple[str, ...]
    digest: str
    pieces: tuple[Piece, ...] = ()

    @property
    def structured(self) -> bool:
        """Tests fill variables, and not a message alone."""
        return any(name != "input" for name in self.variables)


def subject_of(prompt: Prompt) -> PromptSubject:
    """A prompt as the stages read it.

    Args:
        prompt: the parsed prompt.

    Raises:
        GateError: code builds the prompt, so there is no text to read.
    """
    if prompt.built is not None:
        raise GateError(
            "a prompt that a Python function builds has no text of its own",
            "write one built text to a file, and name that",
        )
    contents = [message.content for message in prompt.messages]
    names: set[str] = set()
    if prompt.template:
        for content in contents:
            names |= compile_template(content, prompt.parts).names - GIVEN
    single = len(contents) == 1
    said = [(str(one.role), one.content, prompt.template) for one in prompt.messages]
    said += [(f"file {part.path}", part.text, part.template) for part in prompt.parts.files]
    text, pieces = "", list[Piece]()
    for role, content, template in said:
        text += "\n\n" if pieces else ""
        text += "" if single and not pieces else f"[{role}]\n"
        pieces.append(Piece(len(text), len(text) + len(content), role, template))
        text += content
    return PromptSubject(text, tuple(sorted(names)), prompt.digest, tuple(pieces))
