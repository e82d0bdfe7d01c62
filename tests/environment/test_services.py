import pytest

from gate.environment.settings import Settings
from gate.errors import GateError


def test_keys_do_not_show() -> None:
    assert "secret" not in repr(Settings({"OPENAI_API_KEY": "secret-1"}, cache_secret="secret-2"))


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("", None),
        ("dask://scheduler:8786", "tcp://scheduler:8786"),
        ("dask://10.0.0.7:1", "tcp://10.0.0.7:1"),
        ("dask://[::1]:8786", "tcp://[::1]:8786"),
    ],
)
def test_who_sends_the_requests(value: str, address: str | None) -> None:
    assert Settings.from_environ({"HOME": "/h", "GATE_EXECUTOR": value}).dask == address


@pytest.mark.parametrize(
    "value",
    [
        "dask",
        "dask://",
        "dask://x",
        "dask://x:0",
        "dask://x:99999",
        "tcp://x:1",
        "dask://x:1/y",
        "dask://me:hunter2@x:1",
    ],
)
def test_an_executor_that_is_invalid(value: str) -> None:
    with pytest.raises(GateError, match="GATE_EXECUTOR is not dask://HOST:PORT") as caught:
        Settings.from_environ({"HOME": "/h", "GATE_EXECUTOR": value})
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"
