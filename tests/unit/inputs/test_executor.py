"""Executors, as a user writes them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.domain.executor import Dask, ExecutorSpec, InProcess, Processes
from gate.errors import GateError
from gate.inputs.executor import parse_executor


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("in-process", InProcess()),
        ("processes:1", Processes(1)),
        ("processes:64", Processes(64)),
        ("dask://scheduler:8786", Dask("scheduler", 8786)),
        ("dask://10.0.0.7:8786/", Dask("10.0.0.7", 8786)),
        ("dask://[::1]:1", Dask("::1", 1)),
    ],
)
def test_good_ones(text: str, spec: ExecutorSpec) -> None:
    assert parse_executor(text) == spec


def test_addresses_as_dask_writes_them() -> None:
    assert Dask("scheduler", 8786).address == "tcp://scheduler:8786"
    assert Dask("::1", 1).address == "tcp://[::1]:1"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "unknown executor ''", "write in-process, processes:2 or dask://scheduler:8786"),
        ("process:2", "unknown executor 'process:2'", "did you mean 'processes'? write in-process,"),
        ("tcp://x:1", "unknown executor 'tcp://x:1'", "write in-process,"),
        ("in-process:2", "unknown executor 'in-process:2'", "write in-process,"),
        ("processes", "wants a whole number from 1 to 64, not ''", "write processes:2"),
        ("processes:0", "not '0'", "write processes:2"),
        ("processes:65", "not '65'", "write processes:2"),
        ("processes:-1", "not '-1'", "write processes:2"),
        ("processes:²", "not '²'", "write processes:2"),
        ("dask", "unknown executor 'dask'", "write in-process,"),
        ("dask:8786", "is not dask://host:port", "write dask://scheduler:8786"),
        ("dask://scheduler", "is not dask://host:port", "write dask://scheduler:8786"),
        ("dask://:8786", "is not dask://host:port", "write dask://scheduler:8786"),
        ("dask://scheduler:0", "is not dask://host:port", "write dask://scheduler:8786"),
        ("dask://scheduler:99999", "is not dask://host:port", "write dask://scheduler:8786"),
        ("dask://scheduler:8786/path", "is not dask://host:port", "write dask://scheduler:8786"),
        ("dask://a b:1", "is not dask://host:port", "write dask://scheduler:8786"),
        ("dask://[::1:1", "is not dask://host:port", "write dask://scheduler:8786"),
    ],
)
def test_bad_ones(text: str, message: str, hint: str) -> None:
    with pytest.raises(GateError) as caught:
        parse_executor(text)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_password_is_not_repeated() -> None:
    with pytest.raises(GateError) as caught:
        parse_executor("dask://me:hunter2@scheduler:8786")
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"


@settings(deadline=None, max_examples=60)
@given(start=st.sampled_from(["", "dask://", "processes:"]), rest=st.text(max_size=30))
def test_whatever_is_written_is_understood_or_refused(start: str, rest: str) -> None:
    try:
        spec = parse_executor(start + rest)
    except GateError as error:
        assert error.message.isprintable()
        assert error.hint
    else:
        assert isinstance(spec, InProcess | Processes | Dask)
