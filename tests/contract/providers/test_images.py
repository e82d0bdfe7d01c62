"""Images in cases, histories and prompts reach each service in its own form; what takes none costs nothing."""

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Outcome, gate
from tests.support.model_server import ModelServer
from tests.support.repository import Files, commit, make, write

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
OTHER = PNG + b"another"
BYTES = {
    "png": PNG,
    "jpeg": b"\xff\xd8\xff\xe0" + b"a" * 40,
    "gif": b"GIF89a" + b"a" * 40,
    "webp": b"RIFF\x24\0\0\0WEBPVP8 " + b"a" * 40,
}
SAID = "answer=blue"
PROMPT = "prompts/support.md"
ENDINGS = (".md", ".html", ".json", ".jsonl", ".xml", ".sarif")
IMAGE = "evals/images/receipt.png"
CONFIG = """version: 1
defaults: {{model: '{model}', samples: 1}}
suites:
  - name: support
    prompt: {prompt}
    cases: evals/cases.yaml
    scorers: [contains]
"""


def data_url(data: bytes = PNG, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def parts(url: str, text: str = SAID) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]


def case(**fields: Any) -> dict[str, Any]:
    return {"id": "c1", "expected": "blue", **fields}


def files(model: str, *cases: dict[str, Any], prompt: str = PROMPT, text: str = "Help. quality=1.0\n") -> Files:
    listed = json.dumps(list(cases))  # JSON is YAML
    return {"gate.yaml": CONFIG.format(model=model, prompt=prompt), prompt: text, "evals/cases.yaml": listed}


def asked(server: ModelServer, kind: str) -> dict[str, str]:
    if kind == "anthropic":
        return {"ANTHROPIC_API_KEY": "sk-ant-0123456789-loopback", "ANTHROPIC_BASE_URL": server.url}
    return {"OPENAI_API_KEY": "sk-0123456789-loopback", "OPENAI_BASE_URL": f"{server.url}/v1"}


def check(repo: Path, env: dict[str, str]) -> Outcome:
    return gate("check", "--json", cwd=repo, env=env)


def in_words(outcome: Outcome) -> str:
    return " ".join((outcome.out + outcome.err).split())


def sent(kind: str, data: bytes = PNG, media_type: str = "image/png") -> dict[str, Any]:
    text = base64.b64encode(data).decode()
    if kind == "anthropic":
        return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": text}}
    return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{text}"}}


def chat(url: str, text: str = "Look at this for {{ word }}: {{ input }}") -> str:
    return json.dumps([{"role": "system", "content": "quality=1.0"}, {"role": "user", "content": parts(url, text)}])


SERVICES = ["openai", "anthropic"]


@pytest.mark.parametrize("kind", SERVICES)
@pytest.mark.parametrize("way", ["data URL", "file", "file from the root"])
@pytest.mark.parametrize("place", ["case", "history", "prompt", "case in a template"])
def test_an_image_reaches_the_model(tmp_path: Path, server: ModelServer, kind: str, way: str, place: str) -> None:
    folder = "prompts" if place == "prompt" else "evals"
    image = f"{folder}/images/receipt.png"
    url = {"data URL": data_url(), "file": "images/receipt.png", "file from the root": f"/{image}"}[way]
    model, rest = f"{kind}:m", {image: PNG}
    text = {"type": "text", "text": SAID}
    if place == "case":
        repo = make(tmp_path, {**files(model, case(input=parts(url))), **rest})
        turns = [{"role": "user", "content": [text, sent(kind)]}]
    elif place == "history":
        history = [
            {"role": "user", "content": parts(url, "Look.")},
            {"role": "assistant", "content": "Yes?"},
            {"role": "user", "content": SAID},
        ]
        repo = make(tmp_path, {**files(model, case(messages=history)), **rest})
        turns = [{"role": "user", "content": [{"type": "text", "text": "Look."}, sent(kind)]}, *history[1:]]
    elif place == "prompt":
        given = files(model, case(input=SAID, vars={"word": "it"}), prompt="prompts/p.json", text=chat(url))
        config = str(given["gate.yaml"]).replace("prompt:", "template: jinja2\n    prompt:")
        repo = make(tmp_path, {**given, "gate.yaml": config, **rest})
        said = {"type": "text", "text": f"Look at this for it: {SAID}"}
        turns = [{"role": "user", "content": [said, sent(kind)]}]
    else:
        given = files(model, case(input=parts(url)), prompt="prompts/p.j2", text="quality=1.0 Q: {{ input }}!")
        repo = make(tmp_path, {**given, **rest})
        turns = [{"role": "user", "content": [{"type": "text", "text": f"quality=1.0 Q: {SAID}!"}, sent(kind)]}]
    outcome = check(repo, asked(server, kind))
    assert outcome.code == 0, outcome.err
    (body,) = server.bodies
    assert [turn for turn in body["messages"] if turn["role"] != "system"] == turns
    assert base64.b64encode(PNG).decode() not in outcome.out


@pytest.mark.parametrize("kind", SERVICES)
@pytest.mark.parametrize("media", BYTES)
def test_the_type_is_that_of_the_bytes(tmp_path: Path, server: ModelServer, kind: str, media: str) -> None:
    given = files(f"{kind}:m", case(input=parts("images/receipt.png")))
    outcome = check(make(tmp_path, {**given, IMAGE: BYTES[media]}), asked(server, kind))
    assert outcome.code == 0, outcome.err
    assert server.bodies[0]["messages"][-1]["content"][1] == sent(kind, BYTES[media], f"image/{media}")


def model_of(name: str) -> str:
    return {"local": "local:model.gguf", "fake": "fake:oracle"}[name]


@pytest.mark.parametrize("name", ["local", "fake"])
@pytest.mark.parametrize("place", ["case", "prompt"])
def test_a_model_that_takes_no_images_says_so_before_anything_is_paid(tmp_path: Path, name: str, place: str) -> None:
    if place == "case":
        given, where = files(model_of(name), case(input=parts(data_url()))), "the case 'c1' (evals/cases.yaml:1)"
    else:
        text = chat(data_url(), "Look.")
        given, where = files(model_of(name), case(input=SAID), prompt="p.json", text=text), "the prompt p.json"
    outcome = check(make(tmp_path, given), {})
    assert outcome.code != 0
    assert f"suite support: {where} has an image, and {model_of(name)} takes no images" in in_words(outcome)


@pytest.mark.parametrize(
    "target", ["{command: [python, agent.py]}", "{http: {url: 'http://127.0.0.1:9/agent'}}", "{python: 'agent:answer'}"]
)
def test_an_agent_that_is_given_texts_says_so_before_it_is_started(
    tmp_path: Path, server: ModelServer, target: str
) -> None:
    given = files("openai:m", case(input=parts(data_url())))
    config = str(given["gate.yaml"]) + f"    target: {target}\n"
    agent = "def answer(message, context):\n    raise SystemExit('started')\n"
    outcome = check(make(tmp_path, {**given, "gate.yaml": config, "agent.py": agent}), asked(server, "openai"))
    assert outcome.code != 0
    assert "has an image, and its agent is given only texts" in in_words(outcome)


def test_an_agent_that_is_a_model_with_tools_sees_the_image(tmp_path: Path, server: ModelServer) -> None:
    given = files("openai:m", case(input=parts(data_url())))
    tools = json.dumps({"tools": [{"name": "look", "description": "Looks.", "answers": [{"result": "red"}]}]})
    config = str(given["gate.yaml"]) + "    target: {tools: {fixtures: tools.json}}\n"
    outcome = check(make(tmp_path, {**given, "gate.yaml": config, "tools.json": tools}), asked(server, "openai"))
    assert server.bodies, in_words(outcome)
    assert server.bodies[0]["messages"][-1]["content"][1] == sent("openai")


def diff(repo: Path, server: ModelServer, *more: str) -> Outcome:
    return gate("diff", "--base", "main", "--json", *more, cwd=repo, env=asked(server, "openai"))


def test_a_changed_image_of_a_prompt_is_not_skipped_and_each_arm_sees_its_own(
    tmp_path: Path, server: ModelServer
) -> None:
    given = files("openai:m", case(input=SAID), prompt="prompts/p.json", text=chat("images/a.png", "Look."))
    repo = make(tmp_path, {**given, "prompts/images/a.png": PNG})
    assert "SKIPPED" in diff(repo, server).out
    write(repo, {"prompts/images/a.png": OTHER})
    record = diff(repo, server).record
    assert [suite.name for suite in record.suites] == ["support"]
    seen = {body["messages"][1]["content"][1]["image_url"]["url"] for body in server.bodies}
    assert seen == {data_url(PNG), data_url(OTHER)}


def test_a_changed_image_of_a_case_is_not_skipped_and_the_base_counts(tmp_path: Path, server: ModelServer) -> None:
    repo = make(tmp_path, {**files("openai:m", case(input=parts("images/receipt.png"))), IMAGE: PNG})
    write(repo, {PROMPT: "Help more. quality=1.0\n"})
    assert diff(repo, server).code == 0
    seen = {body["messages"][-1]["content"][1]["image_url"]["url"] for body in server.bodies}
    assert seen == {data_url(PNG)}
    write(repo, {PROMPT: "Help. quality=1.0\n", IMAGE: OTHER})
    outcome = diff(repo, server)
    assert "SKIPPED" not in outcome.out
    record = outcome.record
    (change,) = record.exam_changes
    assert change.edited == ["c1"]


def test_answers_to_another_image_are_not_used_again(tmp_path: Path, server: ModelServer) -> None:
    repo = make(tmp_path, {**files("openai:m", case(input=parts("images/receipt.png"))), IMAGE: PNG})
    assert check(repo, asked(server, "openai")).code == 0
    assert check(repo, asked(server, "openai")).code == 0
    assert len(server.bodies) == 1
    write(repo, {IMAGE: OTHER})
    assert check(repo, asked(server, "openai")).code == 0
    assert len(server.bodies) == 2


def test_two_files_are_compared_with_the_images_beside_them(tmp_path: Path, server: ModelServer) -> None:
    given = files("openai:m", case(input=parts("images/receipt.png")))
    write(tmp_path, {**given, IMAGE: PNG, "new.md": "Help well. quality=1.0\n"})
    arguments = (PROMPT, "new.md", "--cases", "evals/cases.yaml", "--model", "openai:m")
    outcome = gate("diff", *arguments, "--json", cwd=tmp_path, env=asked(server, "openai"))
    assert outcome.code == 0, outcome.err
    assert {body["messages"][-1]["content"][1]["image_url"]["url"] for body in server.bodies} == {data_url()}


JUDGED = "    scorers: [{judge: {model: 'openai:judge', criteria: 'Names it: {{ input }}'}}]\n"


def test_a_judge_reads_a_short_text_in_place_of_the_image(tmp_path: Path, server: ModelServer) -> None:
    given = files("openai:m", case(input=parts("images/receipt.png")))
    config = str(given["gate.yaml"]).replace("    scorers: [contains]\n", JUDGED)
    outcome = check(make(tmp_path, {**given, IMAGE: PNG, "gate.yaml": config}), asked(server, "openai"))
    judging = [body for body in server.bodies if body["model"] == "judge"]
    assert judging, outcome.err
    for body in judging:
        assert "[image: evals/images/receipt.png, 1 kB, sha256 " in json.dumps(body)
        assert base64.b64encode(PNG).decode() not in json.dumps(body)


@pytest.mark.parametrize("way", ["data URL", "file"])
def test_reports_and_exports_show_a_short_text(tmp_path: Path, server: ModelServer, way: str) -> None:
    url, name = (data_url(), "image/png") if way == "data URL" else ("images/receipt.png", IMAGE)
    rows = [{**case(input=parts(url)), "id": f"c{number}"} for number in range(12)]
    repo = make(tmp_path, {**files("openai:m", *rows), IMAGE: PNG})
    write(repo, {PROMPT: "Help less. quality=0.0\n"})
    outcome = diff(repo, server, "--out", "run")
    assert outcome.code == 1, outcome.err
    for out in ("r.md", "r.html", "r.xml", "r.sarif", "r.jsonl"):
        done = gate("report", "run", "--out", out, cwd=repo)
        assert done.code == 0, done.err
    texts = {path.name: path.read_text(encoding="utf-8") for path in repo.rglob("*.*") if path.suffix in ENDINGS}
    explained = gate("explain", "run", "c1", cwd=repo)
    texts |= {"stdout": outcome.out, "explained": explained.out + explained.err}
    shown = f"[image: {name}, 1 kB, sha256 {hashlib.sha256(PNG).hexdigest()[:12]}]"
    for where in ("run.json", "stdout", "explained"):
        assert shown in texts[where].replace("\n", " "), where
    assert not [where for where, text in texts.items() if base64.b64encode(PNG).decode() in text]


BAD = {
    "http": ("https://example.com/a.png", "is an address, and the gate fetches nothing"),
    "http in capitals": ("HTTP://example.com/a.png", "is an address, and the gate fetches nothing"),
    "another scheme": ("file://evals/a.png", "is neither a data URL nor the path of a file"),
    "not an image type": ("data:text/html;base64,aGk=", "is not a data URL of an image in base64"),
    "not base64": ("data:image/png,abc", "is not a data URL of an image in base64"),
    "broken base64": ("data:image/png;base64,iVBO*", "is a data URL whose base64 is broken"),
    "wrong bytes": (data_url(b"<svg onload=alert(1)>", "svg+xml"), "is not a PNG, JPEG, GIF or WebP image"),
    "huge": (data_url(b"\x89PNG\r\n\x1a\n" + bytes(6_000_000)), "is larger than 3.75 MiB"),
    "a template": ("{{ image }}", "is a template, and only texts are filled in"),
    "blank": (" ", "must not be blank"),
    "absent": ("images/none.png", "there is no image 'evals/images/none.png'"),
    "outside": ("../../secret.png", "the path '../../secret.png' of an image"),
    "outside from the root": ("/../secret.png", "the path '/../secret.png' of an image"),
    "a link": ("images/link.png", "the image 'evals/images/link.png' cannot be used: it is a symbolic link"),
    "behind a link": ("linked/receipt.png", "cannot be used: it is below the symbolic link 'evals/linked'"),
    "a text": ("notes.md", "the image 'evals/notes.md' is not a PNG, JPEG, GIF or WebP image"),
    "Git LFS": ("lfs.png", "the image 'evals/lfs.png' is not a PNG, JPEG, GIF or WebP image, but a pointer of Git LFS"),
    "a large file": ("large.png", "the image 'evals/large.png' is larger than 3.75 MiB"),
    "a folder": ("images", "'evals/images'"),
    "a control character": ("a\x1b[31m.png", "contains a control character"),
}


@pytest.mark.parametrize("side", ["working tree", "commit"])
@pytest.mark.parametrize("place", ["case", "history", "prompt"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_image_is_an_error_with_its_place(tmp_path: Path, name: str, place: str, side: str) -> None:
    url, said = BAD[name]
    if place == "prompt":
        given = files("openai:m", case(input=SAID), prompt="evals/p.json", text=chat(url, "Look."))
    elif place == "history":
        turns = [{"role": "user", "content": parts(url)}, {"role": "assistant", "content": "?"}]
        given = files("openai:m", case(messages=[*turns, {"role": "user", "content": SAID}]))
    else:
        given = files("openai:m", case(input=parts(url)))
    (tmp_path / "evals/images").mkdir(parents=True)
    (tmp_path.parent / "secret.png").write_bytes(PNG)
    os.symlink("receipt.png", tmp_path / "evals/images/link.png")
    os.symlink("images", tmp_path / "evals/linked")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    large = b"\x89PNG\r\n\x1a\n" + bytes(6_000_000) if name == "a large file" else b""
    more: Files = {IMAGE: PNG, "evals/notes.md": "hi", "evals/lfs.png": pointer, "evals/large.png": large}
    repo = make(tmp_path, {**given, **more})
    if side == "commit":
        outcome = gate("diff", "--base", "main", "--head", "main", cwd=repo, env={"OPENAI_API_KEY": "sk-0123456789"})
    else:
        outcome = gate("validate", cwd=repo)
    file = "evals/p.json" if place == "prompt" else "evals/cases.yaml"
    if name == "huge" and place == "prompt":
        said = "is longer than 1,048,576 characters"
    assert outcome.code == 2
    assert said in in_words(outcome)
    assert f"{file}" in in_words(outcome)
    assert "Traceback" not in outcome.err
    assert len(in_words(outcome)) < 5_000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "input is an empty list"),
        (["hi"], "input[0] must be a part of the type text or image_url, not 'hi'"),
        ([{"type": "input_audio"}], "input[0] must be a part of the type text or image_url, not of the type"),
        ([{"type": "text"}], "input[0] must be text, not nothing"),
        ([{"type": "text", "text": " "}], "input[0].text must not be blank"),
        ([{"type": "text", "text": "a", "more": 1}], "input[0] has the unknown key 'more'"),
        ([{"type": "image_url", "image_url": "a.png"}], "input[0].image_url must be a mapping with a url"),
        (
            [{"type": "image_url", "image_url": {"url": "a.png", "detail": "low"}}],
            "input[0].image_url has the unknown key 'detail'",
        ),
        ([*parts(data_url())[1:]] * 21, "input has more than 20 images"),
    ],
)
def test_a_bad_part_is_an_error_with_its_place(tmp_path: Path, content: list[Any], said: str) -> None:
    outcome = gate("validate", cwd=make(tmp_path, files("openai:m", case(input=content))))
    assert outcome.code == 2
    assert f"evals/cases.yaml:1: {said}" in in_words(outcome)


def test_only_a_user_has_images(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": parts(data_url())}, {"role": "user", "content": SAID}]
    outcome = gate("validate", cwd=make(tmp_path, files("openai:m", case(messages=messages))))
    assert outcome.code == 2
    assert "messages[0].content has an image, and only messages of the user can have one" in in_words(outcome)


def test_a_template_without_a_user_message_for_the_image_is_an_error(tmp_path: Path, server: ModelServer) -> None:
    chat_text = json.dumps([{"role": "system", "content": "{{ input }}"}, {"role": "user", "content": "Go."}])
    given = files("openai:m", case(input=parts(data_url())), prompt="p.json", text=chat_text)
    config = str(given["gate.yaml"]).replace("prompt:", "template: jinja2\n    prompt:")
    outcome = check(make(tmp_path, {**given, "gate.yaml": config}), asked(server, "openai"))
    assert outcome.code == 2
    assert "has no user message for the image of case 'c1'" in in_words(outcome)
    assert not server.bodies


OWN = json.dumps([{"role": "user", "content": "Say answer=blue. quality=1.0"}])
ASKING = json.dumps(
    [{"role": "system", "content": "Say answer=blue. quality=1.0"}, {"role": "user", "content": "{{ input }}"}]
)


@pytest.mark.parametrize("kind", SERVICES)
def test_an_empty_input_adds_nothing_to_a_prompt_that_asks_itself(
    tmp_path: Path, server: ModelServer, kind: str
) -> None:
    repo = make(tmp_path, files(f"{kind}:m", case(input=""), prompt="p.json", text=OWN))
    outcome = check(repo, asked(server, kind))
    assert outcome.code in (0, 1), outcome.err
    assert [body["messages"] for body in server.bodies] == [json.loads(OWN)]


@pytest.mark.parametrize("template", [False, True])
def test_an_empty_input_reaches_a_service_that_takes_it(tmp_path: Path, server: ModelServer, template: bool) -> None:
    given = (
        files("openai:m", case(input=""))
        if not template
        else files("openai:m", case(input=""), prompt="p.json", text=ASKING)
    )
    config = str(given["gate.yaml"]).replace("prompt:", f"template: {'jinja2' if template else 'false'}\n    prompt:")
    outcome = check(make(tmp_path, {**given, "gate.yaml": config}), asked(server, "openai"))
    assert outcome.code in (0, 1), outcome.err
    (body,) = server.bodies
    assert body["messages"][-1] == {"role": "user", "content": ""}


@pytest.mark.parametrize("template", [False, True])
def test_an_empty_input_is_refused_before_anything_is_paid_where_a_service_takes_none(
    tmp_path: Path, server: ModelServer, template: bool
) -> None:
    given = (
        files("anthropic:m", case(input=""))
        if not template
        else files("anthropic:m", case(input=""), prompt="p.json", text=ASKING)
    )
    config = str(given["gate.yaml"]).replace("prompt:", f"template: {'jinja2' if template else 'false'}\n    prompt:")
    outcome = check(make(tmp_path, {**given, "gate.yaml": config}), asked(server, "anthropic"))
    assert outcome.code != 0
    said = "the case 'c1' (evals/cases.yaml:1) has an empty input, and anthropic:m takes no empty message"
    assert said in in_words(outcome)
    assert not server.bodies


@pytest.mark.parametrize("ending", ["jsonl", "json", "yaml", "csv"])
def test_images_and_empty_inputs_survive_every_case_file(tmp_path: Path, ending: str) -> None:
    rows = [case(input=parts(data_url())), {**case(input=""), "id": "c2"}]
    write(tmp_path, {"from.json": json.dumps(rows)})
    assert gate("cases", "convert", "from.json", f"to.{ending}", cwd=tmp_path).code == 0
    assert gate("cases", "convert", f"to.{ending}", "again.json", cwd=tmp_path).code == 0
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == rows


def test_a_case_with_a_file_is_edited_in_its_file_and_refused_by_a_store(tmp_path: Path) -> None:
    repo = make(tmp_path, {**files("openai:m", case(input=parts("images/receipt.png"))), IMAGE: PNG})
    edited = gate("cases", "edit", "evals/cases.yaml", "c1", "--set", "expected=red", cwd=repo)
    assert edited.code == 0, edited.err
    env = {"GATE_DATABASE_URL": f"sqlite:///{tmp_path}/gate.db"}
    outcome = gate("cases", "import", "evals/cases.yaml", "store:support", cwd=repo, env=env)
    assert outcome.code == 2
    assert "the image 'images/receipt.png' is a file, which a store does not have" in in_words(outcome)
    write(repo, {"evals/cases.yaml": json.dumps([case(input=parts(data_url()))])})
    outcome = gate("cases", "import", "evals/cases.yaml", "store:support", cwd=repo, env=env)
    assert outcome.code == 0, outcome.err
    listed = gate("cases", "list", "store:support", cwd=repo, env=env)
    assert "[image: image/png, 1 kB" in listed.out


def test_a_case_that_an_agent_was_shown_is_not_rebuilt_from_its_run(tmp_path: Path, server: ModelServer) -> None:
    given = files("openai:m", case(input=parts(data_url())))
    tools = json.dumps({"tools": [{"name": "look", "description": "Looks.", "answers": [{"result": "red"}]}]})
    config = str(given["gate.yaml"]) + "    target: {tools: {fixtures: tools.json}}\n"
    repo = make(tmp_path, {**given, "gate.yaml": config, "tools.json": tools})
    assert gate("check", "--out", "run", cwd=repo, env=asked(server, "openai")).code in (0, 1)
    (repo / "evals/cases.yaml").unlink()
    outcome = gate("cases", "add", "new.yaml", "--from", "run", "c1", "--expected", "blue", cwd=repo)
    assert outcome.code == 2, outcome.out
    assert not (repo / "new.yaml").exists()


FUNCTION = """
def build(session):
    return [{"role": "user", "content": [{"type": "text", "text": "Look. quality=1.0"}, {"type": "image_url",
        "image_url": {"url": "URL"}}]}]
"""


@pytest.mark.parametrize("kind", SERVICES)
def test_a_function_may_return_images(tmp_path: Path, server: ModelServer, kind: str) -> None:
    given = files(f"{kind}:m", case(input=SAID), prompt="python:prompts:build", text="")
    given = {name: text for name, text in given.items() if ":" not in name}
    repo = make(tmp_path, {**given, "prompts.py": FUNCTION.replace("URL", data_url())})
    outcome = check(repo, asked(server, kind))
    assert outcome.code == 0, outcome.err
    said = [{"type": "text", "text": "Look. quality=1.0"}, sent(kind)]
    assert server.bodies[0]["messages"][0] == {"role": "user", "content": said}


def test_a_function_that_returns_the_path_of_an_image_sends_nothing(tmp_path: Path, server: ModelServer) -> None:
    given = files("openai:m", case(input=SAID), prompt="python:prompts:build", text="")
    given = {name: text for name, text in given.items() if ":" not in name}
    repo = make(tmp_path, {**given, "prompts.py": FUNCTION.replace("URL", "images/a.png")})
    outcome = check(repo, asked(server, "openai"))
    assert outcome.code == 3
    assert "an image in a message of the prompt must be a data URL" in in_words(outcome)
    assert not server.bodies


@pytest.mark.parametrize("format_", ["openai-evals", "promptfoo"])
def test_images_go_to_the_formats_of_other_tools_and_back(tmp_path: Path, format_: str) -> None:
    turns = [{"role": "user", "content": parts(data_url())}, {"role": "assistant", "content": "Yes?"}]
    rows = [case(input=parts(data_url())), {**case(messages=[*turns, {"role": "user", "content": SAID}]), "id": "c2"}]
    write(tmp_path, {"from.json": json.dumps(rows)})
    file = "to.jsonl"
    there = gate("cases", "convert", "from.json", file, "--to", format_, "--strict", cwd=tmp_path)
    assert there.code == 0, there.out + there.err
    back = gate("cases", "convert", file, "again.json", "--from", format_, cwd=tmp_path)
    assert back.code == 0, back.err
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == rows


@pytest.mark.parametrize("url", ["https://example.com/a.png", "images/a.png"])
def test_an_image_elsewhere_is_listed_as_lost(tmp_path: Path, url: str) -> None:
    row = {"input": [{"role": "user", "content": parts(url)}], "ideal": "blue"}
    write(tmp_path, {"samples.jsonl": json.dumps(row) + "\n"})
    outcome = gate("cases", "convert", "samples.jsonl", "to.jsonl", "--strict", cwd=tmp_path)
    assert outcome.code == 2
    assert "images as data URLs" in in_words(outcome)


def test_a_commit_that_changes_only_an_image_of_a_prompt_is_part_of_a_backtest(
    tmp_path: Path, server: ModelServer
) -> None:
    given = files("openai:m", case(input=SAID), prompt="prompts/p.json", text=chat("images/a.png", "Look."))
    repo = make(tmp_path, {**given, "prompts/images/a.png": PNG})
    commit(repo, {"prompts/images/a.png": OTHER}, "Another image")
    outcome = gate("backtest", "--json", "--quiet", cwd=repo, env=asked(server, "openai"))
    assert outcome.code == 0, outcome.err
    assert "Another image" in outcome.out
    assert {body["messages"][1]["content"][1]["image_url"]["url"] for body in server.bodies} == {
        data_url(PNG),
        data_url(OTHER),
    }
