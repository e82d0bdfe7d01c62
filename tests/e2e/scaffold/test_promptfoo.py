"""`gate init` with a promptfoo configuration: unsupported parts are reported and skipped."""

import json
from pathlib import Path

import pytest

from tests.support.command import gate, git
from tests.support.model_server import ModelServer
from tests.support.privileged import keys
from tests.support.repository import make


def test_missing_values_are_losses_and_judges_get_a_default_model(tmp_path: Path) -> None:
    asserts = ["contains", "contains", "llm-rubric"]
    values = ["{{ env.WANTED }}", "{{ city }}", "is polite"]
    tests = [{"vars": {"city": city}, "assert": _asserts(asserts, values)} for city in ("Rome", "Oslo")]
    default = {"assert": _asserts(["icontains", "starts-with"], ["{{ env.OTHER }}", "{{ city }}"])}
    config = {"prompts": ["Say {{ city }}."], "providers": ["mistral:large"], "tests": tests, "defaultTest": default}
    root = make(tmp_path / "shop", {"promptfooconfig.yaml": json.dumps(config)})
    done = gate("init", "--prompt", "promptfooconfig.yaml", cwd=root)
    assert done.code == 0, done.err
    assert "evals/not-converted.md" in done.out
    lost = (root / "evals/not-converted.md").read_text(encoding="utf-8")
    assert "the assertion 'contains' of test-1 cannot be converted" in lost and "env.WANTED" in lost
    assert "of defaultTest cannot be converted" in lost and "env.OTHER" in lost
    kept = (root / "evals/prompt/cases.jsonl").read_text(encoding="utf-8")
    assert "{{ city }}" in kept and "env.WANTED" not in kept
    assert '"judge": {"model": "openai:gpt-5", "criteria": "is polite"}' in kept
    assert "env.OTHER" not in (root / "gate.yaml").read_text(encoding="utf-8")


def _asserts(kinds: list[str], values: list[str]) -> list[dict[str, str]]:
    return [{"type": kind, "value": value} for kind, value in zip(kinds, values, strict=True)]


def test_one_empty_variable_is_a_loss_of_its_test_and_not_of_the_prompt(tmp_path: Path) -> None:
    tests = [{"vars": {"city": city}, "assert": _asserts(["contains"], ["x"])} for city in ("Rome", "", None, "Oslo")]
    config = {"prompts": ["{{ city }}"], "providers": ["openai:gpt-5-mini"], "tests": tests}
    root = make(tmp_path / "shop", {"promptfooconfig.yaml": json.dumps(config)})
    done = gate("init", "--prompt", "promptfooconfig.yaml", cwd=root)
    assert done.code == 0 and "2 cases from promptfooconfig.yaml" in done.out, done.err
    lost = (root / "evals/not-converted.md").read_text(encoding="utf-8")
    assert "test-2, test-3 cannot be converted: its text is empty" in lost


JUDGED = """prompts: ['Write a tweet about {{ topic }}.']
providers: [openai:gpt-4o-mini]
tests:
  - vars: {topic: bananas}
    assert: [{type: icontains, value: banana}, {type: llm-rubric, value: is funny}]
  - vars: {topic: toast}
    assert: [{type: llm-rubric, value: is funny, provider: openai:gpt-4o}]
"""


def test_the_local_model_judges_nothing(tmp_path: Path) -> None:
    root = make(tmp_path / "x", {"promptfooconfig.yaml": JUDGED})
    done = gate("init", "--prompt", "promptfooconfig.yaml", "--model", "local:gemma3-270m", cwd=root)
    assert done.code == 0, done.err
    assert "2 judges left out: the local model is too small to judge" in done.out
    for name in ("evals/prompt/cases.jsonl", "gate.yaml"):
        assert "judge:" not in (root / name).read_text(encoding="utf-8")
    workflow = (root / ".github/workflows/prompt-gate.yml").read_text(encoding="utf-8").splitlines()
    assert [line for line in workflow if "OPENAI_API_KEY" in line and not line.strip().startswith("#")] == []
    assert gate("validate", "--quiet", cwd=root).code == 0


INLINE = "prompts: ['Write {% if topic === \"x\" %}nothing{% elseif topic %}about {{ topic }}{% endif %}.']"


@pytest.mark.parametrize(
    ("prompts", "path", "text"),
    [
        ("prompts: [file://prompts/tweet.txt]", "prompts/tweet.txt", "Write about {{ topic }}.\n"),
        ("prompts: [file://tweets.txt]", "tweets.txt", "Say no {{ topic }}.\n---\nWrite about {{ topic }}.\n"),
        (INLINE, "promptfooconfig.yaml", ""),
    ],
)
def test_a_change_of_the_applications_prompt_is_tested(
    tmp_path: Path, models: ModelServer, prompts: str, path: str, text: str
) -> None:
    config = (
        f"{prompts}\nproviders: [openai:gpt-4o-mini]\n"
        "tests:\n  - {vars: {topic: bananas}, assert: [{type: icontains, value: banana}]}\n"
    )
    root = make(tmp_path / "x", {path: text, "promptfooconfig.yaml": config})
    first = gate("init", "--prompt", "promptfooconfig.yaml", cwd=root)
    assert first.code == 0, first.err
    assert "lost" not in first.out and not list(root.glob("prompts/*.j2"))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Gate the prompts")
    changed = (root / path).read_text(encoding="utf-8").replace("Write", "Write at length")
    (root / path).write_text(changed, encoding="utf-8")
    done = gate("diff", "--base", "HEAD", "--json", cwd=root, env=keys(models))
    assert done.record.verdict != "SKIPPED", done.err
    assert len(done.record.suites) == 1  # the other prompt of the file is the same
    asked = " ".join(str(one) for one in models.bodies)
    assert "Write about bananas." in asked and "Write at length about bananas." in asked


def suite(prompt: str) -> str:
    entry = {"name": "a", "prompt": prompt, "template": "nunjucks", "cases": "c.jsonl", "scorers": ["contains"]}
    return json.dumps({"version": 1, "defaults": {"model": "fake:echo"}, "suites": [entry]})


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("p.yaml::prompts[0]", "has a number in brackets: write p.yaml::prompts.0"),
        ("p.yaml::prompts.7", "p.yaml has no text named 'prompts.7'"),
        ("p.yaml::prompts.0", "p.yaml:2: the filter round means something else in Nunjucks"),
        ("p.yaml::prompts.1", "p.yaml:3: 'file://x.txt' is the name of a file"),
        ("p.yaml::prompts.2", "p.yaml:4: is empty"),
        ("p.txt", "p.txt: has several prompts, between lines of ---"),
        ("p.txt::2", "p.txt has no text named '2'"),
    ],
)
def test_a_prompt_that_cannot_be_read_as_promptfoo_does_is_an_error_with_its_place(
    tmp_path: Path, prompt: str, said: str
) -> None:
    texts = "prompts:\n  - '{{ x | round }}'\n  - file://x.txt\n  - '  '\n"
    files = {"p.yaml": texts, "p.txt": "One\n---\nTwo\n", "c.jsonl": '{"id": "1", "input": "x", "expected": "x"}\n'}
    root = make(tmp_path / "x", {**files, "gate.yaml": suite(prompt)})
    done = gate("validate", cwd=root)
    assert done.code == 2 and said in done.err, done.err
