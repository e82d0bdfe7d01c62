"""Real configurations of other tools become suites, and every loss is listed with its line."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from gate.cases.bundles import is_bundle, read_bundle
from gate.cases.losses import Bundle
from gate.cases.promptfoo_assertions import TYPES
from gate.config.scorer import parse_scorers
from gate.errors import InputErrors
from tests.support.promptfoo import sent_messages

DATA = Path(__file__).parents[1] / "data" / "formats"
REAL = [
    "promptfoo/simple-test/promptfooconfig.yaml",
    "promptfoo/simple-csv/promptfooconfig.yaml",
    "promptfoo/eval-self-grading/promptfooconfig.yaml",
    "gh-models/sample.prompt.yml",
]


def real(file: str) -> Bundle:
    return read_bundle((DATA / file).read_text(encoding="utf-8"), file, on_disk)


def on_disk(path: str) -> str | None:
    return (DATA / path).read_text(encoding="utf-8") if (DATA / path).is_file() else None


def config(text: str, files: Mapping[str, str] | None = None) -> Bundle:
    return read_bundle(text, "promptfooconfig.yaml", lambda path: (files or {}).get(path))


def losses(bundle: Bundle) -> list[str]:
    return [f"{loss.where} {loss.what}" for loss in bundle.losses]


@pytest.mark.parametrize("file", REAL)
def test_a_real_configuration_becomes_suites_that_run(file: str) -> None:
    bundle = real(file)
    assert is_bundle(file)
    for suite in bundle.suites:
        if suite.scorers:  # a tool that says of no answer whether it is good brings none
            parse_scorers(list(suite.scorers), file)
        path = suite.prompt.partition("::")[0]
        for entry in suite.cases:
            assert sent_messages(suite, entry, {path: on_disk(path) or ""})[-1][0] == "user"
        assert len(suite.cases) >= 2 and suite.model
    assert all(loss.where.startswith(file.rsplit("/", 1)[0]) for loss in bundle.losses)


def test_losses_of_a_real_configuration_are_listed_with_lines() -> None:
    bundle = real(REAL[0])
    where = "promptfoo/simple-test/promptfooconfig.yaml"
    assert [suite.name for suite in bundle.suites] == ["prompts-1", "prompts-2"]
    assert losses(bundle) == [
        f"{where}:32 assertion type 'javascript' of test 4 cannot be converted: it is code, which is not run",
        f"{where}:34 assertion type 'python' of test 4 cannot be converted: it is code, which is not run",
        f"{where}:38 assertion type 'similar' of test 4 is changed: no embeddings: the score is the share of "
        "words in common (F1), and its threshold is the gate's own, 0.7",
        f"{where}:46 assertion type 'llm-rubric' of test 5 is changed: the gate's judge scores it, by these "
        "criteria alone",
    ]
    assert bundle.suites[0].cases[4]["scorers"] == [
        {"judge": {"criteria": "Is spoken like a pirate"}},
        {"contains": {"value": "arrr", "ignore_case": True}},
    ]
    assert [suite.prompt for suite in bundle.suites] == [f"promptfoo/simple-test/prompts.txt::{at}" for at in (0, 1)]


def test_default_tests_scenarios_lists_and_files() -> None:
    text = """
prompts:
  - {id: file://p.json, label: Chat}
  - 'Translate {{ word }} to {{ language }}{{ style }}'
  - file://build.py:main
providers: ['exec:run.sh', {id: 'openai:chat:gpt-5', config: {temperature: 0, top_k: 3}}, 'anthropic:messages:claude-x']
defaultTest:
  vars: {language: French}
  assert: [{type: not-icontains, value: sorry}]
  options: {provider: 'openai:gpt-5'}
tests:
  - vars: {word: [dog, cat], language: [German, French]}
  - vars: {word: file://word.txt}
    assert: [{type: llm-rubric, value: 'Kind to {{ word }}', weight: 2}]
    metadata: {tier: pro, deep: {a: 1}}
    threshold: 0
  - {vars: {word: a}, assert: [{type: equals, value: b}], metadata: {tier: free},
     options: {disableDefaultAsserts: true}}
scenarios:
  - config: [{vars: {language: Dutch}, metadata: {a: b}}, {vars: {language: Danish}}]
    tests: [{vars: {word: hat}}]
redteam: {}
"""
    chat_file = (
        '[{"role": "system", "content": {{ language | dump }}}, {"role": "user", "content": "user:\\n{{ word }}"}]'
    )
    files = {"promptfooconfig.yaml": text, "p.json": chat_file, "word.txt": "bird\n"}
    bundle = config(text, files)
    chat, plain = bundle.suites
    assert (chat.name, chat.prompt, plain.prompt) == ("Chat", "p.json", "promptfooconfig.yaml::prompts.1")
    assert (chat.model, dict(chat.params), chat.slices) == ("openai:gpt-5", {"temperature": 0}, ("tier",))
    assert chat.scorers == ({"contains": {"value": "sorry", "ignore_case": True}, "negate": True},)
    words = [(case["id"], case["vars"]["word"], case["vars"]["language"]) for case in chat.cases]
    assert words == [
        ("test-1-1", "dog", "German"), ("test-1-2", "cat", "German"), ("test-1-3", "dog", "French"),
        ("test-1-4", "cat", "French"), ("test-2", "bird", "French"), ("test-3", "a", "French"),
        ("test-4", "hat", "Dutch"), ("test-5", "hat", "Danish"),
    ]  # fmt: skip
    assert chat.cases[4]["extra_scorers"] == [
        {"judge": {"criteria": "Kind to {{ word }}", "model": "openai:gpt-5"}, "weight": 2}
    ]
    assert "scorers" in chat.cases[5]
    assert plain.cases[0]["vars"] == {"word": "dog", "language": "German", "style": ""}
    assert sent_messages(chat, chat.cases[0], files) == [("system", "German"), ("user", "user:\ndog")]
    assert sent_messages(plain, plain.cases[0], files) == [("user", "Translate dog to German")]
    assert losses(bundle) == [
        "promptfooconfig.yaml:22 'redteam' is left out",
        "promptfooconfig.yaml:5 a prompt is made by 'file://build.py:main', which is not run; it is left out: "
        "'build.py' is not a text file of the repository",
        "promptfooconfig.yaml:6 the provider 'exec:run.sh' is not a model of the gate",
        "promptfooconfig.yaml:6 'top_k' of the model is left out",
        "promptfooconfig.yaml:6 the provider 'anthropic:messages:claude-x' is left out: a suite has one model",
        "promptfooconfig.yaml:14 assertion type 'llm-rubric' of test 2 is changed: the gate's judge scores it, "
        "by these criteria alone",
        "promptfooconfig.yaml:16 threshold 0 of test 2 is left out: it must be above 0 and at most 1",
        "promptfooconfig.yaml:15 metadata 'deep' of test 2 is not a short text and is left out",
        "promptfooconfig.yaml:20 'metadata' of a scenario's config is left out",
    ]


@pytest.mark.parametrize("kind", sorted(name for name, known in TYPES.items() if known.scorer))
def test_every_mapped_type_becomes_a_valid_scorer(kind: str) -> None:
    value = {"latency": "", "cost": "", "word-count": "{min: 1, max: 9}", "contains-all": "[a, b]"}.get(kind, '"abc"')
    value = {"is-json": "{type: object}", "javascript": "output.includes('a')", "python": "\"'a' in output\""}.get(
        kind, value
    )
    known = TYPES[kind]
    for negated in ("", "not-") if kind != "python" else ("",):
        row = f"{{type: '{negated}{kind}', value: {value}, threshold: 0.5, weight: 2, metric: m}}"
        bundle = config(f"prompts: ['{{{{ a }}}}']\ntests: [{{vars: {{a: b}}, assert: [{row}]}}]\n")
        (scorer,) = bundle.suites[0].cases[0]["scorers"]
        (spec,) = parse_scorers([scorer], "test")
        assert spec.kind in known.scorer
        assert (spec.name, spec.weight) == ("m", 2)
        assert spec.negate is bool(negated and known.scorer != "judge")
        changes = [loss.what for loss in bundle.losses if "is changed" in loss.what]
        assert bool(changes) is bool(known.change)


def test_every_other_type_is_named() -> None:
    for kind in (*(name for name, known in TYPES.items() if not known.scorer), "no-such-type"):
        test = f"{{vars: {{a: b}}, assert: [{{type: '{kind}', value: x}}]}}"
        bundle = config(f"prompts: ['{{{{ a }}}}']\ntests: [{test}]\n")
        assert "scorers" not in bundle.suites[0].cases[0], kind
        (first, second) = bundle.losses
        assert first.where == "promptfooconfig.yaml:2" and f"'{kind}'" in first.what and first.remedy
        assert second.what.startswith("1 of 1 cases have no assertion"), kind


def test_sets_share_their_weight_and_nothing_counts_with_weight_0() -> None:
    bundle = config(
        "prompts: ['{{ a }}']\ntests:\n- vars: {a: b}\n  assert:\n"
        "  - {type: assert-set, weight: 3, threshold: 0.5, assert: "
        "[{type: contains, value: x}, {type: regex, value: '(?<n>y)'}]}\n"
        "  - {type: equals, value: z, weight: 0}\n  - {type: regex, value: '('}\n"
        "  - {type: contains, value: x, transform: t}\n"
    )
    assert bundle.suites[0].cases[0]["scorers"] == [
        {"contains": {"value": "x", "ignore_case": False}, "weight": 1.5},
        {"regex": {"pattern": "(?P<n>y)"}, "weight": 1.5},
    ]
    told = " ".join(losses(bundle))
    assert all(word in told for word in ("threshold of an assert-set", "weight 0", "'regex'", "transform"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [" + "*b," * 3000 + "]", "more than 20,000 values"),
        ("just a text", "must be a mapping"),
        ("prompts: []", "no prompt"),
    ],
)
def test_hostile_configurations_end_in_an_error(text: str, said: str) -> None:
    with pytest.raises(InputErrors, match=said):
        config(text)


def test_a_prompty_file_gives_a_case_and_a_model() -> None:
    text = (
        "---\nname: Basic\nmodel: {configuration: {type: openai, name: gpt-4o}, parameters: {max_tokens: 9}}\n"
        "sample: {firstName: Jane, question: Why?}\n---\nsystem:\nYou help {{firstName}}.\n\nuser:\n{{question}}\n"
    )
    bundle = read_bundle(text, "p/basic.prompty", lambda _: None)
    (suite,) = bundle.suites
    assert (suite.name, suite.prompt, suite.model) == ("basic", "p/basic.prompty", "openai:gpt-4o")
    assert dict(suite.params) == {"max_output_tokens": 9}
    assert suite.cases == ({"id": "sample", "vars": {"firstName": "Jane", "question": "Why?"}},)


@pytest.mark.parametrize(
    "written",
    [
        "${file:chat.json}",
        "${file:../../x.json}",
    ],
)
def test_a_sample_in_another_file_is_read(written: str) -> None:
    text = f"---\nsample: {written}\n---\nuser:\n{{{{ question }}}}\n"
    bundle = read_bundle(text, "p/a.prompty", {"p/chat.json": '{"question": "Why?", "history": []}'}.get)
    cases = [dict(case) for case in bundle.suites[0].cases]
    told = [loss.what for loss in bundle.losses if "the sample" in loss.what]
    if "chat.json" in written:
        assert (cases, told) == ([{"id": "sample", "vars": {"question": "Why?", "history": []}}], [])
    else:
        assert (cases, len(told)) == ([], 1)


@pytest.mark.parametrize(
    ("path", "model", "params", "said"),
    [
        ("first/chat.prompty", "azure:gpt-4o-mini", {"max_output_tokens": 200, "temperature": 0.2}, "_ENDPOINT"),
        ("first/finish.prompty", None, {}, "the service 'serverless' of the model 'small' is left out"),
        ("first/grade.prompty", "openai:gpt-4o-mini", {"temperature": 0, "max_output_tokens": 10}, ""),
        (
            "second/support.prompty",
            "azure:gpt-4o",
            {"temperature": 0.3, "max_output_tokens": 300, "top_p": 0.9, "stop": ["END"]},
            "AZURE_OPENAI_API_KEY",
        ),
        ("second/agent.prompty", "azure:gpt-4o-mini", {}, "OPENAI_API_VERSION"),
    ],
)
def test_the_models_of_both_generations_of_prompty(
    path: str, model: str | None, params: dict[str, object], said: str
) -> None:
    folder = Path("tests/data/formats/prompty")
    files = {str(one.relative_to(folder)): one.read_text() for one in folder.rglob("*.*")}
    bundle = read_bundle(files[path], path, files.get)
    (suite,) = bundle.suites
    assert (suite.model, dict(suite.params), len(suite.cases)) == (model, params, 1)
    assert said in " ".join(loss.what for loss in bundle.losses)


@pytest.mark.parametrize(
    ("model", "name", "said"),
    [
        ("gpt-4o", "openai:gpt-4o", ""),
        ("{id: claude-sonnet-4-5, provider: anthropic}", "anthropic:claude-sonnet-4-5", ""),
        (
            "{configuration: {type: azure_openai, azure_deployment: '${env:NAME}'}}",
            None,
            "only the environment variable",
        ),
        (
            "{id: m, provider: openai, connection: {endpoint: '${env:URL:https://llm.example.com}'}}",
            None,
            "the address",
        ),
        ("{id: m, provider: openai, connection: {kind: key, endpoint: '${env:URL}'}}", "openai:m", ""),
        ("{configuration: {type: unify, model_name: llama}}", None, "the service 'unify'"),
    ],
)
def test_an_unsupported_service_is_a_loss(model: str, name: str | None, said: str) -> None:
    bundle = read_bundle(f"---\nmodel: {model}\n---\nuser:\nHi\n", "p.prompty", lambda _: None)
    assert bundle.suites[0].model == name
    assert said in " ".join(loss.what for loss in bundle.losses)


def test_evaluators_of_github_models() -> None:
    text = (
        "messages: [{role: user, content: '{{input}}'}]\nmodel: nobody/knows\nresponseFormat: text\nevaluators:\n"
        "- {name: a, string: {endsWith: '!', startsWith: Dear}}\n"
        "- {name: b, uses: github/fluency}\n- {name: c, uses: mine/own}\n"
        "- {name: d, llm: {modelId: openai/gpt-4o, prompt: 'Is {{completion}} kind?', "
        "choices: [{choice: 'yes', score: 1}]}}\n"
    )
    bundle = read_bundle(text, "x.prompt.yml", lambda _: None)
    (suite,) = bundle.suites
    assert suite.cases == () and suite.model is None
    assert suite.scorers[0] == {"starts_with": {"value": "Dear", "strip": False, "ignore_case": True}, "name": "a"}
    assert suite.scorers[2] == {
        "judge": {"criteria": "Is the answer kind?\n\nyes = 1", "model": "openai:gpt-4o"},
        "name": "d",
    }
    assert [loss.where for loss in bundle.losses] == [f"x.prompt.yml:{n}" for n in (5, 6, 7, 8)] + ["x.prompt.yml"]


@pytest.mark.parametrize(
    ("name", "scorers", "params"),
    [
        (
            "order",
            ["contains", "judge", "judge", "json_schema"],
            {"max_output_tokens": 200, "temperature": 0.1, "top_p": 0.9},
        ),
        ("count", ["starts_with", "json"], {}),
    ],
)
def test_formats_of_answers_become_scorers(name: str, scorers: list[str], params: dict[str, object]) -> None:
    text = Path(f"tests/data/formats/gh-models/shop/{name}.prompt.yml").read_text()
    bundle = read_bundle(text, f"{name}.prompt.yml", lambda _: None)
    (suite,) = bundle.suites
    kinds = [next(iter(one)) if isinstance(one, dict) else one for one in suite.scorers]
    assert kinds == scorers
    assert (dict(suite.params), len(suite.cases)) == (params, 2)
    assert "the format of answers is changed" in " ".join(losses(bundle))


def test_an_evaluator_that_some_test_data_cannot_fill_is_named() -> None:
    text = (
        "messages: [{role: user, content: 'Hi {{name}}'}]\ntestData: [{name: Ada}, {name: Bo, expected: Hello}]\n"
        "evaluators:\n- {name: same, uses: github/similarity}\n- {name: named, string: {contains: '{{name}}'}}\n"
    )
    bundle = read_bundle(text, "x.prompt.yml", lambda _: None)
    assert [dict(one)["name"] for one in bundle.suites[0].scorers if isinstance(one, dict)] == ["named"]
    assert "cannot be filled in ('expected' is undefined)" in " ".join(losses(bundle))


def test_a_set_that_contains_itself_ends() -> None:
    bundle = config(
        "prompts: ['{{ a }}']\nassertionTemplates:\n  s:\n    type: assert-set\n    assert:\n"
        "    - {$ref: '#/assertionTemplates/s'}\n    - {$ref: '#/assertionTemplates/r'}\n"
        "    - {type: contains, value: x}\n"
        "  r: {$ref: '#/assertionTemplates/r'}\n"
        "tests: [{vars: {a: b}, assert: [{$ref: '#/assertionTemplates/s'}, {$ref: '#/nowhere'}]}]\n"
    )
    assert len(bundle.suites[0].cases[0]["scorers"]) == 1
    told = " ".join(losses(bundle))
    assert all(word in told for word in ("inside another", "without end", "does not exist"))


@pytest.mark.parametrize(
    ("filters", "models", "lost"),
    [
        ([["Short"], ["Long"]], {"Short": "a", "Long": "b"}, []),
        ([["Short", "p.txt"], None], {"Short": "a", "Long": "b", "p": "a"}, ["is left out for 'Short', 'p'"]),
        ([["team:*"], ["p.txt"]], {"team-x": "a", "p": "b"}, ["'Short' is left out: no provider"]),
        ([None, ["Long"]], {"Short": "a", "Long": "a", "p": "a", "team-x": "a"}, ["'openai:b' is left out: a"]),
        ([["file://p.txt"], []], {"p": "a"}, ["'Short' is left out: no provider answers it"]),
    ],
)  # fmt: skip
def test_a_prompt_is_tested_with_the_first_provider_that_answers_it(
    filters: list[list[str] | None], models: dict[str, str], lost: list[str]
) -> None:
    prompts = [{"raw": "{{ a }}!", "label": "Short"}, {"raw": "Say {{ a }}!", "label": "Long"}, "file://p.txt"]
    prompts.append({"raw": "Tell {{ a }}!", "label": "team:x"})
    providers = [
        {"id": f"openai:{name}", "config": {"seed": at}, **({} if named is None else {"prompts": named})}
        for at, (name, named) in enumerate(zip("ab", filters, strict=True))
    ]
    tests = [{"vars": {"a": "b"}, "assert": [{"type": "contains", "value": "b"}]}]
    document = {"prompts": prompts, "providers": providers, "tests": tests}
    bundle = config(json.dumps(document), {"p.txt": "Shout {{ a }}!"})
    found = {suite.name: str(suite.model).removeprefix("openai:") for suite in bundle.suites}
    assert {name: found.get(name) for name in models} == models
    assert all(suite.params == {"seed": "ab".index(found[suite.name])} for suite in bundle.suites)
    said = losses(bundle)
    assert all(any(one in line for line in said) for one in lost)
    left_out = [name for name in ("Short", "Long", "p", "team:x") if name.replace(":", "-") not in found]
    assert all(any(f"the prompt {name!r} is left out" in line for line in said) for name in left_out)


def test_every_setting_of_a_provider_and_every_word_of_metadata_is_kept_or_listed() -> None:
    provider = {"id": "openai:a", "transform": "output.trim()", "env": {"A": "b"}, "label": "x"}
    test = {"vars": {"a": "b"}, "metadata": {"tags": ["x", "two words=", "y"], "deep": [1], "none": []}}
    document = {"prompts": ["Say {{ a }}!"], "providers": [provider], "tests": [test]}
    bundle = config(json.dumps(document))
    assert bundle.suites[0].cases[0]["slices"] == {"tags:x": "yes", "tags:y": "yes"}
    said = losses(bundle)
    for one in (
        "env, transform of the provider 'openai:a' are left out",
        "'two words=' in the metadata 'tags' of test 1",
    ):
        assert any(one in line for line in said)
    assert sum("metadata 'deep'" in line or "metadata 'none'" in line for line in said) == 2
