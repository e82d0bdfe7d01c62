"""Real promptfoo configurations: patterns for files, merge keys, templates in variables."""

import json
from collections.abc import Mapping

import pytest

from gate.cases.bundles import read_bundle
from gate.cases.convert import import_cases
from gate.cases.losses import Bundle
from gate.config.documents import read_yaml
from gate.errors import GateError, InputErrors
from tests.support.promptfoo import parsed_prompt, sent_messages

FILE = "evals/promptfooconfig.yaml"


def config(text: str, others: Mapping[str, str] | None = None) -> Bundle:
    files = others or {}
    return read_bundle(text, FILE, files.get, [FILE, *files])


def losses(bundle: Bundle) -> list[str]:
    return [f"{loss.where} {loss.what}" for loss in bundle.losses]


def only(tests: str, prompt: str = "'{{ a }}'") -> Bundle:
    """Of one prompt and a list of tests."""
    return config(f"prompts: [{prompt}]\ntests:\n{tests}")


def test_a_pattern_expands_to_matching_files() -> None:
    files = {
        "evals/prompts/a.txt": "One {{ a }}\n ---\n\n  Two {{ a }}\n",
        "evals/prompts/b.txt": "Three {{ a }}",
        "evals/prompts/deep/c.txt": "no",
        "shared/tests/one.yaml": "- {vars: {a: x}}\n",
        "shared/tests/two.csv": "a,__expected\ny,contains:y\n",
    }
    bundle = config("prompts: [file://prompts/*.txt, none/*.md]\ntests: ['file://../shared/tests/*']\n", files)
    assert [suite.name for suite in bundle.suites] == ["a-1", "a-2", "b"]
    assert [suite.prompt for suite in bundle.suites] == [
        "evals/prompts/a.txt::0",
        "evals/prompts/a.txt::1",
        "evals/prompts/b.txt",
    ]
    sent = [sent_messages(suite, suite.cases[0], files) for suite in bundle.suites]
    assert sent == [[("user", "One x")], [("user", "Two x")], [("user", "Three x")]]
    assert [case["vars"] for case in bundle.suites[2].cases] == [{"a": "x"}, {"a": "y"}]
    assert losses(bundle)[0] == f"{FILE}:1 a prompt is taken from none/*.md, which no file matches"


def test_a_labelled_prompt_is_read_from_its_file() -> None:
    text = "prompts: [{raw: 'file://p.txt', label: new}, {id: old, raw: 'Say {{ a }}'}]\ntests: [{vars: {a: b}}]\n"
    bundle = config(text, {"evals/p.txt": "Tell {{ a }}"})
    assert [(suite.name, suite.prompt, suite.template) for suite in bundle.suites] == [
        ("new", "evals/p.txt", "nunjucks"),
        ("old", "evals/promptfooconfig.yaml::prompts.1.raw", "nunjucks"),
    ]


CHAT = '[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "{{ a }}"}]'


@pytest.mark.parametrize(
    ("path", "text", "sent"),
    [
        ("a.txt", "\n Say {{ a }}\n\n", [("user", "Say b")]),
        ("a.txt", "---\nSay {{ a }}\n", [("user", "Say b")]),
        ("a.txt", CHAT, [("system", "Be kind."), ("user", "b")]),
        ("a.md", "# Say\n\n{{ a }}\n", [("user", "# Say\n\nb")]),
        ("a.md", "Say {{ a if a }}\n", [("user", "Say b")]),
        ("a.j2", "{% if a === 'b' %}yes{% elseif a %}no{% endif %}", [("user", "yes")]),
        ("a.json", CHAT, [("system", "Be kind."), ("user", "b")]),
        ("a.json", CHAT.replace('"{{ a }}"', "{{ a | dump }}"), [("system", "Be kind."), ("user", "b")]),
        ("a.yaml", "- role: user\n  content: |\n    Say\n    {{ a }}\n", [("user", "Say\nb")]),
    ],
)
def test_a_prompt_stays_where_it_is(path: str, text: str, sent: list[tuple[str, str]]) -> None:
    """A copy of it would be gated, while the application goes on with the file: its changes would be skipped."""
    files = {f"evals/{path}": text}
    bundle = config(f"prompts: [file://{path}]\ntests: [{{vars: {{a: b}}}}]\n", files)
    (suite,) = bundle.suites
    assert (suite.prompt, suite.template) == (f"evals/{path}", "nunjucks")
    assert "cases have no assertion" in losses(bundle)[0] and len(bundle.losses) == 1
    assert sent_messages(suite, suite.cases[0], files) == sent


@pytest.mark.parametrize("text", ["Say {{ a if a }}", CHAT, "{{ a | upper }}\n"])
@pytest.mark.parametrize(
    ("place", "pointer"),
    [
        ("{}", "prompts"),
        ("[{}]", "prompts.0"),
        ("[x, {{raw: {}, label: y}}]", "prompts.1.raw"),
        ("[{{id: {}}}]", "prompts.0.id"),
    ],
)
@pytest.mark.parametrize("name", ["promptfooconfig.yaml", "promptfooconfig.json"])
def test_a_prompt_in_the_configuration_is_pointed_at(text: str, place: str, pointer: str, name: str) -> None:
    written = yaml_or_json(f"prompts: {place.format(json.dumps(text))}\ntests: [{{vars: {{a: b}}}}]\n", name)
    files = {"file": text, f"evals/{name}": written}
    bundle = read_bundle(written, f"evals/{name}", files.get)
    suite = bundle.suites[-1]
    assert suite.prompt == f"evals/{name}::{pointer}"
    plain = config("prompts: [file://a.md]\ntests: [{vars: {a: b}}]\n", {"evals/a.md": text})
    expected = sent_messages(plain.suites[0], plain.suites[0].cases[0], {"evals/a.md": text.removesuffix("\n")})
    found = [(role, content.removesuffix("\n")) for role, content in sent_messages(suite, suite.cases[0], files)]
    assert found == expected


def yaml_or_json(text: str, name: str) -> str:
    return text if name.endswith(".yaml") else json.dumps(read_yaml(text, name).data)


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.csv", "prompt,label\nSay {{ a }},x\nTell {{ a }},y\n"), ("a.jsonl", f"{json.dumps(CHAT)}\n")],
)
def test_prompts_in_a_table_are_listed(path: str, text: str) -> None:
    bundle = config(
        f"prompts: [file://{path}, 'Say {{{{ a }}}}']\ntests: [{{vars: {{a: b}}}}]\n", {f"evals/{path}": text}
    )
    assert f"{FILE}:1 the prompts in evals/{path} are left out" in losses(bundle)[0]
    assert bundle.losses[0].remedy == "write them into a .txt file, with --- between them"
    assert len(bundle.suites) == 1


def test_a_text_file_with_several_prompts_must_be_pointed_into() -> None:
    (suite,) = config("prompts: [file://a.txt]\ntests: [{vars: {a: b}}]\n", {"evals/a.txt": "One {{ a }}"}).suites
    with pytest.raises(InputErrors, match="has several prompts") as raised:
        parsed_prompt(suite, {"evals/a.txt": "One {{ a }}\n---\nTwo"})
    assert raised.value.problems[0].hint == "name one of them: evals/a.txt::0"


def test_own_keys_override_those_of_a_merge_key() -> None:
    text = (
        "x-shared: &shared {temperature: 0, max_tokens: 9}\nprompts: ['{{ a }}']\ntests: [{vars: {a: b}}]\n"
        "providers: [{id: 'openai:gpt-5', config: {max_tokens: 5, <<: *shared}}]\n"
    )
    suite = config(text).suites[0]
    assert suite.params == {"temperature": 0, "max_output_tokens": 5}
    assert "x-shared" not in str(losses(config(text)))
    with pytest.raises(InputErrors, match="needs a mapping"):
        config("prompts: ['x']\ntests: [{<<: 1}]\n")


def test_variables_are_filled_in_as_promptfoo_fills_them() -> None:
    bundle = only(
        "- {vars: {a: 'to {{ b }}, {{ c }}', b: Ada}}\n- vars: {a: \"text\\n\\n\", n: 2.0, o: {p: [1.0, 1.5]}}\n"
    )
    assert [case["vars"] for case in bundle.suites[0].cases] == [
        {"a": "to Ada, ", "b": "Ada"},
        {"a": "text\n", "n": 2, "o": {"p": [1, 1.5]}},
    ]
    assert not [one for one in losses(bundle) if "template" in one]
    assert losses(only("- vars: {a: '{{ env.HOME }}'}\n"))[0].endswith("holds a template, which is not filled in")


@pytest.mark.parametrize(
    ("prompt", "what"),
    [
        ("'In {{ env.PLACE }} {{ a }}'", "takes a value from the environment, {{ env.… }}"),
        ("'langfuse://greeting:3'", "is kept elsewhere, at 'langfuse://greeting:3'"),
        ("file://p.ts:make", "is made by 'file://p.ts:make', which is not run"),
        ("file://p.sh", "is taken from file://p.sh, which is code, and is not run"),
    ],
)
def test_prompts_that_cannot_be_imported_are_reported(prompt: str, what: str) -> None:
    bundle = only("- vars: {a: b}\n", f"{prompt}, 'Say {{{{ a }}}}'")
    assert what in losses(bundle)[0] and len(bundle.suites) == 1


def test_a_promptfoo_configuration_is_detected_by_its_name() -> None:
    text = "providers: [x]\ndefaultTest: {options: {provider: 'file://j.js'}}\ntests: [file://t/one.yaml]\n"
    with pytest.raises(GateError) as raised:
        import_cases(text, FILE)
    assert raised.value.hint.startswith("tests in other files are left out: file://t/one.yaml; convert those files")
    with pytest.raises(GateError) as raised:
        import_cases("redteam: {purpose: x}\ntargets: [https]\n", FILE)
    assert raised.value.hint.startswith("the configuration has no tests")
    shared = "tests:\n- {vars: &v {a: b}}\n- {vars: {<<: *v, c: d}}\n"
    assert [case["vars"] for case in import_cases(shared, FILE).cases] == [{"a": "b"}, {"a": "b", "c": "d"}]


def test_a_variable_that_takes_long_to_fill_in_ends_the_reading() -> None:
    slow = "{% for a in range(9999) %}{% for b in range(9999) %}{{ a }}{% endfor %}{% endfor %}"
    with pytest.raises(InputErrors, match="the variable a of test 1 takes too long"):
        only(f"- vars: {{a: '{slow}'}}\n" * 50)


def test_scenarios_may_be_in_a_file_and_need_no_tests() -> None:
    files = {
        "evals/s.yaml": "- config: [{vars: {a: x}}, {vars: {a: y}, extra: 1}]\n  tests: file://t.yaml\n",
        "evals/t.yaml": "- {vars: {b: 1}}\n",
        "evals/alone.json": '{"config": [{"vars": {"a": "z"}}]}',
    }
    bundle = config("prompts: ['{{ a }}']\nscenarios: [file://s.yaml, file://alone.json]\n", files)
    assert [case["vars"] for case in bundle.suites[0].cases] == [{"a": "x", "b": 1}, {"a": "y", "b": 1}, {"a": "z"}]
    assert losses(bundle)[0] == "evals/s.yaml:1 'extra' of a scenario's config is left out"
    one = config("prompts: ['{{ a }}']\nscenarios: [config, {config: [{vars: {a: x}}]}]\n")
    assert losses(one)[0] == f"{FILE}:2 a scenario is taken from config, which is not a text file of the repository"
    assert len(one.suites[0].cases) == 1
