"""What can go wrong before a local model answers."""

from pathlib import Path

import pytest

from gate.errors import GateError
from gate.providers.local import LocalProvider, import_error


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(GateError, match=r"no-such\.gguf: No such file") as caught:
        LocalProvider(tmp_path / "no-such.gguf", None, 1)
    assert "local:PATH.gguf" in caught.value.hint


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(GateError, match="cannot read the model file"):
        LocalProvider(tmp_path, None, 1)


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\x03\x04zip"])
def test_a_file_of_another_kind(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(GateError, match="is not a GGUF file"):
        LocalProvider(tmp_path / "m.gguf", None, 1)


def test_a_damaged_model(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF" + b"\x00" * 1000)
    with pytest.raises(GateError, match=r"llama\.cpp cannot load .*m\.gguf"):
        LocalProvider(tmp_path / "m.gguf", None, 1)


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (ModuleNotFoundError("No module named 'xllamacpp'", name="xllamacpp"), "pip install 'prompt-gate[local]'"),
        (ImportError("libgomp.so.1: cannot open shared object file", name="xllamacpp.xllamacpp"), "libgomp1"),
        (ImportError("GLIBC_2.99 not found", name="xllamacpp.xllamacpp"), "prompt-gate[local]"),
    ],
)
def test_llama_cpp_that_cannot_be_imported(error: ImportError, remedy: str) -> None:
    assert remedy in import_error(error).hint
