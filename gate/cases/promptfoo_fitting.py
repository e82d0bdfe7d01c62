"""Fits a promptfoo prompt to its cases: the gate sends what promptfoo sends, or the loss is listed.

A prompt whose text is a list of turns becomes a conversation: promptfoo fills in the template first, and reads the
turns from the text. The gate takes turns only from a variable, so that no value of a case becomes a role.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gate.cases import case as case_module
from gate.cases.case import Entry, all_texts
from gate.cases.promptfoo_context import RemainingLimits, names_in, parsed
from gate.cases.promptfoo_prompts import FoundPrompt, Reader, messages_in, prompty_text
from gate.cases.reading import case_of
from gate.config.documents import quoted
from gate.errors import InputErrors
from gate.messages import ROLES, Role
from gate.prompts import reading
from gate.prompts.version import Prompt
from gate.templates import nunjucks
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, listed

Turns = list[tuple[Role, str]]
"""Role and text of each."""
_TAG = re.compile(r"\{%-?\s*(?P<word>for|endfor|if|endif)\b.*?-?%\}|\{\{.*?\}\}", re.DOTALL)
_LOOP = re.compile(r"\{%-?\s*for\s+[\w\s,]+?\s+in\s+(\w+)\s*-?%\}")
_VARIABLE = re.compile(r"\{\{-?\s*(\w+)\s*(?:\|\s*dump\s*)?-?\}\}")
_MARK = "\ue000"
"""Stands for a part of a template in JSON; no file uses this character."""


@dataclass(slots=True)
class _Fit:
    """A prompt with the cases that it can be tested on."""

    prompt: FoundPrompt
    cases: list[Entry]
    left_out: dict[str, list[str]]

    def leave_out(self, case: Entry, reason: str) -> None:
        self.left_out.setdefault(reason, []).append(str(case["id"]))


def fit(
    prompt: FoundPrompt, cases: Sequence[Entry], scorers: Sequence[JsonValue], reader: Reader
) -> tuple[FoundPrompt, list[Entry]] | None:
    """The prompt and its cases, with empty texts for missing variables; None and a loss if no case is left."""
    if prompt.function:
        return prompt, list(cases)
    losses, limits = reader.losses, reader.context.limits
    made = _Fit(prompt, [], {})
    texts: list[str] = []
    for case in cases:
        try:
            with limits.filling(0) as seconds:
                contents, whole = _rendered(prompt, case, scorers, seconds)
        except BadTemplate as error:
            made.leave_out(case, error.message)
            continue
        if not all(content.strip() for content in contents):
            made.leave_out(case, "its text is empty")
            continue
        made.cases.append(whole)
        texts.append(contents[0])
    if not prompt.chat and any(turns_in(text) is not None or _is_broken_chat(text) for text in texts):
        made = _as_chat(made, texts, reader)
    label = quoted(prompt.label)
    for reason, names in made.left_out.items():
        said = f"for the prompt {label}, {listed(names)} cannot be converted: {reason}"
        losses.add(0, said, "write the prompt in Jinja2, or change these values")
    if cases and not made.cases:
        reason = next(iter(made.left_out))
        losses.add(0, f"the prompt {label} is left out: {reason}", "write it in Jinja2, or as a .prompty file")
        return None
    return made.prompt, made.cases


def _rendered(
    prompt: FoundPrompt, case: Entry, scorers: Sequence[JsonValue], seconds: float
) -> tuple[list[str], Entry]:
    """The texts of the messages as promptfoo writes them, and the case with the variables that they need."""
    variables = _variables(case)
    filled: set[str] = set()
    while True:
        given = {**variables, **dict.fromkeys(filled, nunjucks.NoValue())}
        try:
            contents = [nunjucks.render(content, given, seconds) for content in prompt.contents]
            break
        except BadTemplate as error:
            missing = prompt.names - variables.keys() - filled
            name = next((one for one in sorted(missing) if f"'{one}' is undefined" in error.message), "")
            if not error.undefined or not name:
                raise
            filled.add(name)
    own = {name: value for name, value in variables.items() if name != "input"}
    whole: Entry = {**case, "vars": {**own, **dict.fromkeys(sorted(filled), "")}}
    if "input" in case and "input" not in prompt.names:
        if "input" in names_in([*scorers, case.get("scorers"), case.get("extra_scorers")]):
            raise BadTemplate("the prompt does not use input, and its scorers do")
        # The gate would send it after the prompt.
        whole = {key: value for key, value in whole.items() if key != "input"}
    if not whole["vars"]:
        whole = (
            {**whole, "vars": {"test": case["id"]}}
            if "input" not in whole
            else {key: value for key, value in whole.items() if key != "vars"}
        )
    return contents, whole


def _variables(case: Entry) -> dict[str, JsonValue]:
    own = case.get("vars")
    return {**(own if isinstance(own, dict) else {}), **({"input": case["input"]} if "input" in case else {})}


def turns_in(text: str) -> Turns | None:
    """The turns that promptfoo reads from a rendered prompt; None if it is sent as one message."""
    value: JsonValue
    if text.lstrip().startswith("- role:"):
        document = parsed(text, "prompt")
        value = document.data if document is not None else None
    else:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, list) or not value:
        return None
    turns = [(one.get("role"), one.get("content")) for one in value if isinstance(one, dict)]
    texts = [
        (ROLES[role], said) for role, said in turns if isinstance(role, str) and role in ROLES and isinstance(said, str)
    ]
    return texts if len(texts) == len(value) else None


def _is_broken_chat(text: str) -> bool:
    """Does a text look like turns, without being some that can be sent?"""
    return re.match(r'\s*([\[{](?=.*"role")|-\s*role:)', text, re.DOTALL) is not None and turns_in(text) is None


@dataclass(frozen=True, slots=True)
class _Block:
    """A part of a template that writes turns, and the variable with them."""

    text: str
    name: str

    @property
    def thread(self) -> str:
        """The name of the variable in the prompt of the gate, where `input` is one text."""
        return "conversation" if self.name == "input" else self.name


def _as_chat(fit: _Fit, texts: Sequence[str], reader: Reader) -> _Fit:
    """The prompt as a file with roles, and the turns of its loops in a variable of each case."""
    made = _Fit(fit.prompt, [], fit.left_out)
    (content,) = fit.prompt.contents
    blocks, skeleton = _blocks(content)
    turns = messages_in(skeleton) if blocks is not None else None
    body = prompty_text([_turn(turn, blocks or []) for turn in turns]) + "\n" if turns is not None else ""
    try:
        prompt = reading.parse(body, "prompt.prompty") if body else None
    except InputErrors:
        prompt = None
    for case, text in zip(fit.cases, texts, strict=True):
        wanted = turns_in(text)
        if wanted is None:
            made.leave_out(case, "it writes no turns that can be sent, as it does for other cases")
        elif not all(said.strip() for _, said in wanted):
            made.leave_out(case, "one of its turns is empty")
        elif (
            prompt is None or (entry := _with_turns(case, blocks or [], prompt, wanted, reader.context.limits)) is None
        ):
            made.leave_out(case, "its template writes the turns of a chat, in a way that has no equal here")
        else:
            made.cases.append(entry)
    if prompt is not None and made.cases:
        made.prompt = reader.chat_file(fit.prompt, body)
    return made


def _turn(turn: Mapping[str, str], blocks: Sequence[_Block]) -> dict[str, str]:
    """A message, or the loop that stands for a block."""
    if not turn["content"].startswith(_MARK):
        return dict(turn)
    name = blocks[int(turn["content"].removeprefix(_MARK))].thread
    loop = f"{{% for turn in {name} %}}\n{{{{ turn.role }}}}:\n{{{{ turn.content }}}}\n{{% endfor %}}"
    return {"role": "", "content": loop}


def _blocks(text: str) -> tuple[list[_Block] | None, str]:
    """The parts that write whole turns, and the JSON around them with a mark for each; None if a part writes others."""
    blocks: list[_Block] = []
    pieces: list[str] = []
    at = depth = start = 0
    for tag in _TAG.finditer(text):
        word = tag["word"] or ""
        if depth:
            depth += (word in ("for", "if")) - word.startswith("end")
            if depth == 0:
                blocks.append(_Block(text[start : tag.end()], _loop_variable(text[start : tag.end()])))
                at = tag.end()
            continue
        before = "".join(pieces) + text[at : tag.start()]
        if _in_string(before) or before.rstrip()[-1:] == ":":
            continue
        pieces.append(text[at : tag.start()] + f"{_MARK}{len(blocks)}{_MARK}")
        at = start = tag.end() if not word else tag.start()
        if word:
            depth = 1
        else:
            variable = _VARIABLE.fullmatch(tag[0])
            blocks.append(_Block(tag[0], variable[1] if variable else ""))
    if depth or not all(block.name for block in blocks):
        return None, ""
    return blocks, _skeleton("".join([*pieces, text[at:]]))


def _loop_variable(block: str) -> str:
    found = _LOOP.match(block)
    return found[1] if found else ""


def _in_string(text: str) -> bool:
    return len(re.findall(r'(?<!\\)(?:\\\\)*"', re.sub(r"\{[{%].*?[}%]\}", "", text, flags=re.DOTALL))) % 2 == 1


def _skeleton(text: str) -> str:
    """JSON with a message for each mark, and one comma between messages."""
    mark = rf"{_MARK}\d+{_MARK}"
    text = re.sub(rf"\s*,?\s*({mark})\s*,?\s*", r",\1,", text)
    text = text.replace(f"{_MARK},,{_MARK}", f"{_MARK},{_MARK}")
    text = re.sub(rf"\[\s*,(?={mark})", "[", text)
    text = re.sub(rf"(?<={_MARK}),\s*\]", "]", text)
    if text.startswith(","):
        text = f"[{text.strip(',')}]"
    return re.sub(rf"{_MARK}(\d+){_MARK}", rf'{{"role": "user", "content": "{_MARK}\1"}}', text)


def _with_turns(
    case: Entry, blocks: Sequence[_Block], prompt: Prompt, wanted: Turns, limits: RemainingLimits
) -> Entry | None:
    """The case with the turns of each block in its variable; None if the prompt would send others than `wanted`."""
    variables = _variables(case)
    own = {name: value for name, value in variables.items() if name != "input"}
    for block in blocks:
        with limits.filling(0) as seconds:
            text = nunjucks.render(block.text, variables, seconds).strip().strip(",").strip()
        turns = turns_in(text if text.startswith(("[", "- role:")) else f"[{text}]")
        if turns is None and text.strip("[] \n\t"):
            return None
        written = set(all_texts(_value(variables.get(block.name))))
        if not all(said in written for _, said in turns or []):
            return None  # words of the prompt would move into the cases
        own[block.thread] = [{"role": role, "content": said} for role, said in turns or []]
    rest: Entry = {key: value for key, value in case.items() if key != "vars"}
    if any(block.name == "input" for block in blocks):
        rest = {key: value for key, value in rest.items() if key != "input"}
    entry: Entry = {**rest, "vars": own} if own else rest
    try:
        sent = case_module.render(prompt, case_of(entry))
    except InputErrors:
        return None
    return entry if [(one.role, one.content) for one in sent] == wanted else None


def _value(text: JsonValue) -> JsonValue:
    """The value of JSON or YAML in a text; anything else is its own value."""
    document = parsed(text, "turns") if isinstance(text, str) else None
    return text if document is None else document.data
