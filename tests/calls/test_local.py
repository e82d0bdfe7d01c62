"""What can go wrong before a local model answers."""

from pathlib import Path

import pytest

from gate.calls.endpoints import LARGER
from gate.calls.interface import Request
from gate.calls.providers.local import LocalProvider, _body, import_error
from gate.config.models import ModelRef, Params
from gate.config.rubrics import Dimension, Rubric
from gate.errors import GateError
from gate.messages import Message
from gate.scoring.judge_reply import VerdictForm


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(GateError, match=r"no-such\.gguf: No such file") as caught:
        LocalProvider(tmp_path / "no-such.gguf", None, 1)
    assert "local:PATH.gguf" in caught.value.hint


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\x03\x04zip"])
def test_a_file_of_another_kind(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(GateError, match="is not a GGUF file"):
        LocalProvider(tmp_path / "m.gguf", None, 1)


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (ModuleNotFoundError("No module named 'xllamacpp'", name="xllamacpp"), "pip install '.[local]'"),
        (ImportError("libgomp.so.1: cannot open shared object file", name="xllamacpp.xllamacpp"), "libgomp1"),
        (ImportError("GLIBC_2.99 not found", name="xllamacpp.xllamacpp"), "pip install '.[local]'"),
    ],
)
def test_llama_cpp_that_cannot_be_imported(error: ImportError, remedy: str) -> None:
    assert remedy in import_error(error).hint


def test_free_text_inside_a_structured_reply_is_bounded() -> None:
    form = VerdictForm(Rubric((Dimension("a", "d", 0.5), Dimension("b", "d", 0.5))))
    body = _body(Request((Message("user", "q"),), ModelRef("local", "m"), Params(), schema=form.schema))
    sent = body["response_format"]["json_schema"]["schema"]
    for field in ("a", "b"):
        inner = sent["properties"][field]["properties"]
        assert inner["reason"] == {"minLength": 1, "maxLength": LARGER.chars, "type": "string"}
        assert inner["score"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert list(sent["properties"]) == sent["required"] == ["a", "b"]
    # What others are sent stays as it is.
    assert "maxLength" not in str(form.schema)
