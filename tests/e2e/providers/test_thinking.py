"""Thinking before an answer is no answer: models, judges and agents, however a server sends it."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.thinking import split_thinking
from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate
from tests.support.example import PROMPT
from tests.support.model_server import Behaviour, ModelServer, Raw
from tests.support.privileged import keys
from tests.support.repository import make, write

THOUGHT = 'London? {"score": 0} No: the capital of France.'
TEXTS = {
    "think": f"<think>\n{THOUGHT}\n</think>\n\nParis",
    "on one line": f"<think>{THOUGHT}</think>Paris",
    "after blank lines": f"\n\n <think>{THOUGHT}</think> \n Paris",
    "thinking": f"<thinking>{THOUGHT}</thinking>\nParis",
    "upper case": f"<THINK>{THOUGHT}</THINK>\nParis",
    "seed": f"<seed:think>{THOUGHT}</seed:think>Paris",
    "reasoning": f"<reasoning>{THOUGHT}</reasoning>Paris",
    "thought": f"<thought>{THOUGHT}</thought>Paris",
    "Magistral": f"[THINK]{THOUGHT}[/THINK]Paris",
    "Kimi": f"◁think▷{THOUGHT}◁/think▷Paris",
    "without the opening tag": f"{THOUGHT}\n</think>\n\nParis",
    "without the opening tag, on one line": f"{THOUGHT}</think>Paris",
    "nested": f"<think>{THOUGHT} <think>hm</think> so</think>Paris",
    "nested, without the opening tag": f"{THOUGHT} <think>hm</think> so</think>Paris",
    "an opening tag that is only mentioned": f"<think>{THOUGHT} I write <think> first.</think>Paris",
    "a closing tag that is only mentioned": f"<think>{THOUGHT} I write `</think>` last.</think>Paris",
    "twice": f"<think>{THOUGHT}</think>\n<think>Yes.</think>\nParis",
    "closed by the other tag": f"<think>{THOUGHT}</thinking>Paris",
}
OPENAI: dict[str, dict[str, Any]] = {
    **{name: {"content": text} for name, text in TEXTS.items()},
    "a field": {"content": "Paris", "reasoning_content": THOUGHT},
    "another field": {"content": "Paris", "reasoning": THOUGHT},
    "both fields": {"content": "Paris", "reasoning": THOUGHT, "reasoning_content": THOUGHT},
    "a field and an empty tag": {"content": "<think>\n\n</think>\n\nParis", "reasoning_content": THOUGHT},
    "parts": {
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": "Paris"},
        ]
    },
    "parts with a text": {
        "content": [
            {"type": "thinking", "thinking": THOUGHT},
            {"type": "text", "text": "Pa"},
            {"type": "text", "text": "ris"},
        ]
    },
}
ANTHROPIC: dict[str, list[dict[str, Any]]] = {
    **{name: [{"type": "text", "text": text}] for name, text in TEXTS.items()},
    "a block": [{"type": "thinking", "thinking": THOUGHT, "signature": "x"}, {"type": "text", "text": "Paris"}],
    "a hidden block": [
        {"type": "redacted_thinking", "data": "x"},
        {"type": "thinking", "thinking": THOUGHT},
        {"type": "text", "text": "Paris"},
    ],
}
FILES = {
    PROMPT: "Name the capital.\n",
    "evals/c.jsonl": '{"id": "fr", "input": "France?", "expected": "Paris"}\n',
}
SCORERS = "[exact, {words: {max: 1}}, {contains: {none: [London]}}, {json: {}, negate: true}]"


def config(models: ModelServer, more: str = "", scorers: str = SCORERS, api: str = "openai") -> str:
    address = f"{models.url}/v1" if api == "openai" else models.url
    return (
        f"version: 1\nproviders: {{own: {{api: {api}, base_url: '{address}'}}}}\n"
        f"defaults: {{model: 'own:r1', samples: 1}}\n"
        f"suites: [{{name: s, prompt: {PROMPT}, cases: evals/c.jsonl, scorers: {scorers}{more}}}]\n"
    )


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def openai(message: Mapping[str, Any], finish: str = "stop") -> Raw:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 9, "completion_tokens": 70}
    return Raw(200, json.dumps({"model": "r1", "choices": [choice], "usage": usage}).encode(), JSON)


def anthropic(blocks: list[dict[str, Any]], stop: str = "end_turn") -> Raw:
    usage = {"input_tokens": 9, "output_tokens": 70}
    return Raw(200, json.dumps({"model": "r1", "content": blocks, "stop_reason": stop, "usage": usage}).encode(), JSON)


JSON = {"content-type": "application/json"}


def checked(folder: Path, models: ModelServer, raw: Raw, **more: str) -> tuple[Outcome, dict[str, Any]]:
    """`gate check` where the server sends one reply, and its sample."""
    models.behaviour = Behaviour(raw=raw)
    repo = make(folder / "repo", {**FILES, "gate.yaml": config(models, **more)})
    done = gate("check", "--json", "--out", "out", cwd=repo)
    return done, json.loads((repo / "out/samples.jsonl").read_text())


@pytest.mark.parametrize("form", OPENAI)
def test_the_answer_is_what_follows(tmp_path: Path, models: ModelServer, form: str) -> None:
    done, sample = checked(tmp_path, models, openai(OPENAI[form]))
    assert sample["reply"]["text"] == "Paris"
    assert THOUGHT in sample["reply"]["thinking"] and "think>" not in sample["reply"]["thinking"].split(THOUGHT)[0]
    assert [score["value"] for score in sample["scores"]] == [1.0] * 4
    assert sample["reply"]["usage"]["output_tokens"] == 70
    assert done.code == 0, done.err


@pytest.mark.parametrize("form", ANTHROPIC)
def test_the_answer_is_what_follows_in_the_other_interface(tmp_path: Path, models: ModelServer, form: str) -> None:
    _, sample = checked(tmp_path, models, anthropic(ANTHROPIC[form]), api="anthropic")
    assert sample["reply"]["text"] == "Paris" and THOUGHT in sample["reply"]["thinking"]
    assert [score["value"] for score in sample["scores"]] == [1.0] * 4


CUT: dict[str, Raw] = {
    "think": openai({"content": f"<think>{THOUGHT}"}, "length"),
    "think that ends by itself": openai({"content": f"<think>{THOUGHT} Paris"}, "stop"),
    "the second": openai({"content": f"<think>x</think><think>{THOUGHT} Paris"}, "length"),
    "thinking": openai({"content": f"<thinking>{THOUGHT} Paris"}, "length"),
    "only the tag": openai({"content": "<think>"}, "length"),
    "a field": openai({"content": None, "reasoning_content": f"{THOUGHT} Paris"}, "length"),
    "a field and an empty text": openai({"content": "", "reasoning": f"{THOUGHT} Paris"}, "length"),
    "a field and a blank text": openai({"content": "\n\n", "reasoning": f"{THOUGHT} Paris"}, "length"),
    "parts": openai({"content": [{"type": "thinking", "thinking": THOUGHT}]}, "length"),
}


@pytest.mark.parametrize("form", CUT)
def test_one_that_was_cut_off_inside_the_thinking_is_no_answer(tmp_path: Path, models: ModelServer, form: str) -> None:
    done, sample = checked(tmp_path, models, CUT[form], scorers="[{contains: {none: [Rome, 'not {{ expected }}']}}]")
    assert sample["reply"]["text"].strip() == "" and "cut off" in sample["score"]["reason"]
    assert (done.code, done.record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert (done.record.new[0].candidate.cut_off, done.record.new[0].candidate.empty) == (1, 0)


NO_THINKING = (
    "Write <think> before it, and </think> after it.",
    "Close it with `</think>`.",
    'Close it with "</think>", then answer.',
    "<thinker>a</thinker>",
    "[think](https://example.org) about it",
    "I think > 3 and x < think",
    "Paris <think>a</think> is it",
    "<answer>Paris</answer>",
    " Paris\n",
    "",
)


@pytest.mark.parametrize("text", NO_THINKING)
def test_what_is_no_thinking_stays(tmp_path: Path, models: ModelServer, text: str) -> None:
    _, sample = checked(tmp_path, models, openai({"content": text}))
    assert sample["reply"]["text"] == text and not sample["reply"]["thinking"]


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<>[]◁▷`'\"“”"), max_size=40)


@given(
    WORDS, WORDS, st.sampled_from(["think", "thinking", "Think"]), st.booleans(), st.sampled_from(["", "\n", "\n\n"])
)
def test_any_thinking_and_any_answer(thought: str, answer: str, name: str, opened: bool, gap: str) -> None:
    opening = f"{gap}<{name}>" if opened else ""
    found = split_thinking(f"{opening}{thought}</{name}>{gap}{answer}")
    assert (found.thinking, found.answer, found.finished) == (thought.strip(), answer.lstrip(), True)
    if opened:
        assert not split_thinking(f"{opening}{thought}").finished


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "a", " ", "`", "[THINK]", "[/THINK]"]), max_size=12).map("".join)
)
def test_nothing_is_lost(text: str) -> None:
    found = split_thinking(text)
    kept = re.sub(r"\s|</?think>|\[/?THINK\]", "", found.thinking + found.answer)
    assert kept == re.sub(r"\s|</?think>|\[/?THINK\]", "", text)


def test_it_can_be_kept(tmp_path: Path, models: ModelServer) -> None:
    scorers = "[{contains: {value: London}}, {judge: {criteria: x}}]"
    repo = make(tmp_path / "repo", {**FILES, "gate.yaml": config(models, ", params: {keep_thinking: true}", scorers)})
    verdict = '<think>{"score": 0}</think>{"reason": "good", "score": 1}'
    models.behaviour = Behaviour(answer=lambda system, user: TEXTS["think"], judgement=lambda system, user: verdict)
    assert gate("check", "--refresh", "--out", "out", cwd=repo).code == 0
    sample = json.loads((repo / "out/samples.jsonl").read_text())
    assert sample["reply"]["text"] == TEXTS["think"]
    # The judge's own reply is JSON whatever the suite keeps.
    assert [score["value"] for score in sample["scores"]] == [1.0, 1.0]


def test_a_judge_may_think_in_braces(tmp_path: Path, models: ModelServer) -> None:
    repo = make(tmp_path / "repo", {**FILES, "gate.yaml": config(models, scorers="[{judge: {criteria: x}}]")})
    verdict = '{"reason": "good", "score": 0.9}'
    for text in (f'<think>A draft: {{"score": 0.1}} or [1]</think>\n{verdict}', f"{{a}} {{b}}\n</think>\n{verdict}"):
        models.behaviour = Behaviour(
            answer=lambda system, user: "Paris", judgement=lambda system, user, text=text: text
        )
        assert gate("check", "--refresh", "--out", "out", cwd=repo).code == 0
        assert json.loads((repo / "out/samples.jsonl").read_text())["score"] == 0.9
    models.behaviour = Behaviour(
        answer=lambda system, user: "Paris", judgement=lambda system, user: '<think>{"score": 1}'
    )
    assert gate("check", "--refresh", "--out", "out", cwd=repo).code == 3
    assert "cut off" in json.loads((repo / "out/samples.jsonl").read_text())["score"]["reason"]


def test_answers_that_get_worse_behind_the_same_thinking_block(tmp_path: Path, models: ModelServer) -> None:
    rows = [{"id": f"c{number}", "input": f"word{number}", "expected": f"word{number}"} for number in range(20)]
    cases = "".join(json.dumps(row) + "\n" for row in rows)
    repo = make(tmp_path, {**FILES, "evals/c.jsonl": cases, "gate.yaml": config(models, scorers="[contains]")})

    def answer(system: str, user: str) -> str:
        return f"<think>It is {user}.</think>\n{user if 'Name' in system else 'I cannot say.'}"

    models.behaviour = Behaviour(answer=answer)
    write(repo, {PROMPT: "Be careful.\n"})
    done = gate("diff", "--base", "main", "--json", "--out", "out", cwd=repo)
    assert done.record.verdict is Verdict.BLOCK, done.err
    page = (repo / "out/report.html").read_text()
    folded = re.search(r"<details[^>]*><summary>Thinking</summary><pre[^>]*>It is word\d+\.</pre></details>", page)
    assert folded is not None
    told = gate("explain", "out/run.json", "c1", cwd=repo)
    assert "I cannot say." in told.out and "It is word1" not in told.out and "characters of thinking" in told.out


AGENT = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] in ("start", "reopen"):
        print(json.dumps({"type": "ok"}), flush=True)
    elif asked["type"] == "send":
        print(json.dumps({"type": "answer", "text": %r}), flush=True)
"""


@pytest.mark.parametrize("target", ["a program", "a tool loop"])
def test_an_agent_may_think(tmp_path: Path, models: ModelServer, target: str) -> None:
    program = f", target: {{command: ['{sys.executable}', agent.py]}}"
    loop = ", target: {tools: {fixtures: tools.yaml}}"
    files = {
        **FILES,
        "gate.yaml": config(models, program if target == "a program" else loop),
        "agent.py": AGENT % TEXTS["think"],
        "tools.yaml": "tools: [{name: look, description: Looks., answers: [{result: x}]}]\n",
    }
    models.behaviour = Behaviour(raw=openai({"content": TEXTS["think"]}))
    repo = make(tmp_path / "repo", files)
    done = gate("check", "--out", "out", cwd=repo, env=keys(models))
    sample = json.loads((repo / "out/samples.jsonl").read_text())
    assert (sample["reply"].get("text"), sample["score"]) == ("Paris", 1.0), done.err
    assert THOUGHT in sample["reply"]["thinking"]
    assert [turn["answer"] for turn in sample["reply"]["transcript"]["turns"]] == ["Paris"]
