"""What a prompt says, in the record: bounded, without keys, and covered by what a store takes out."""

import json

from gate.engine.record_parts import LONGEST_TEXT, PROMPT_CHARS, TEXT_CHARS, TEXTS_KEPT, prompt_texts, shortened
from gate.messages import Message, Part, Parts
from gate.prompts.version import Built, Prompt
from gate.record.transcript import Failed
from gate.store.run_folder import dump_run
from gate.store.sql.retention import redacted
from tests.support.answered import answered_run

KEY = "sk-" + "a1" * 30


def test_messages_files_and_built_texts_are_kept() -> None:
    files = Parts("p.j2", (Part("rules.md", "Be kind."),))
    kept, more = prompt_texts(
        Prompt((Message("system", "{% include 'rules.md' %}"), Message("user", "Hi")), parts=files)
    )
    assert [(one.kind, one.name, one.text) for one in kept] == [
        ("message", "system", "{% include 'rules.md' %}"),
        ("message", "user", "Hi"),
        ("file", "rules.md", "Be kind."),
    ]
    assert more == 0
    built = Built({"b": "two", "a": "one", "c": Failed("no"), "d": "four"})
    kept, more = prompt_texts(Prompt((), built=built))
    assert [(one.kind, one.name, one.text) for one in kept] == [("built", "1", "one"), ("built", "2", "two")]
    assert more == 2


def test_long_and_many_texts_are_cut_and_counted() -> None:
    kept, more = prompt_texts(Prompt(tuple(Message("user", "x" * TEXT_CHARS) for _ in range(TEXTS_KEPT + 5))))
    assert sum(len(one.text) for one in kept) == PROMPT_CHARS
    assert [one.cut for one in kept] == [False, False, True]
    assert more == TEXTS_KEPT + 5 - 3


def test_keys_are_masked_also_across_a_cut() -> None:
    kept, _ = prompt_texts(Prompt((Message("system", "x" * (TEXT_CHARS - 20) + f" {KEY}"), Message("user", KEY))))
    assert not any("sk-a1" in one.text for one in kept)


def test_an_answer_that_is_cut_within_a_key_shows_no_half_of_it() -> None:
    said = shortened("x" * (LONGEST_TEXT - 8) + f" {KEY} and more")
    assert "sk-" not in said and said.endswith("characters)")
    assert shortened(KEY) == KEY, "what is whole is masked where it is shown"


def test_a_run_says_what_its_prompts_said_and_a_store_can_take_words_out() -> None:
    run, _ = answered_run(12, 9)
    assert "Keep to two sentences." in run.suites[0].baseline.prompt[0].text
    assert "Keep to one short sentence." in run.suites[0].candidate.prompt[0].text
    clean = json.loads(redacted(dump_run(run).encode(), lambda text: text.replace("sentence", "[redacted]")))
    assert "one short [redacted]." in clean["suites"][0]["candidate"]["prompt"][0]["text"]
    assert "sentence" not in json.dumps(clean["suites"][0]["candidate"]["prompt"])
