"""From a model's name to its provider, before anything is sent."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.calls.batches.jobs import batch_service
from gate.calls.dask import ChunkSetup, DaskExecutor
from gate.calls.endpoints import Keys
from gate.calls.interface import Executor, Misconfigured, Provider
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params
from gate.errors import GateError, MissingKey
from tests.support.keys import service_keys

BOTH = service_keys("sk-openai-0123456789", "sk-ant-0123456789")
LOCAL = "http://127.0.0.1:9/v1"


def made(
    model: str, params: Params | None = None, keys: Keys = BOTH, read: Callable[[str], str] = lambda _: ""
) -> Provider:
    async def make() -> Provider:
        factory = Factory(keys, Path("no-such-folder"), 4, read)
        try:
            provider, _, name = model.partition(":")
            return factory.provider(ModelRef(provider, name), params or Params())
        finally:
            await factory.close()

    return asyncio.run(make())


@pytest.mark.parametrize(("model", "key"), [("openai:gpt-4o", "OPENAI_API_KEY"), ("anthropic:c", "ANTHROPIC_API_KEY")])
def test_a_missing_key_is_named(model: str, key: str) -> None:
    for keys in (Keys(), service_keys("", " \n")):
        with pytest.raises(MissingKey, match=f"{model} needs a key, and {key} is not set") as caught:
            made(model, keys=keys)
        assert caught.value.exit_code == 3


def test_a_compatible_server_needs_no_key() -> None:
    assert made("openai:llama3", keys=service_keys(None, None, LOCAL)).priced


@pytest.mark.parametrize("key", ["sk-a b", "“sk-a”"])
def test_a_key_that_no_header_takes(key: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        made("openai:gpt-4o", keys=service_keys(key))
    assert key not in str(caught.value)


def test_keys_do_not_show() -> None:
    assert "sk-" not in repr(BOTH)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("mistral:large", "no provider 'mistral'"),
        ("openai:", "has no model name"),
        ("fake:parrot", "fake:parrot"),
        ("local:no-such.gguf", "cannot read the model file no-such.gguf"),
    ],
)
def test_names_that_match_nothing(model: str, said: str) -> None:
    with pytest.raises(GateError, match=said) as caught:
        made(model)
    assert caught.value.hint


def test_one_provider_for_each_model() -> None:
    async def work() -> None:
        factory = Factory(BOTH, Path("x"), 4, lambda _: "")
        model = ModelRef("openai", "gpt-4o")
        first = factory.provider(model, Params(temperature=0.1))
        assert factory.provider(model, Params(temperature=0.9)) is first
        assert factory.provider(ModelRef("openai", "gpt-4o-mini"), Params()) is not first
        await factory.close()

    asyncio.run(work())


@pytest.mark.parametrize(
    ("model", "params"),
    [
        ("openai:o3-mini", Params(temperature=0.5)),
        ("openai:gpt-4o", Params(chat_template="passthrough")),
        ("anthropic:claude-sonnet-5-5", Params(temperature=0.5)),
        ("anthropic:claude-sonnet-5-5", Params(reasoning_effort="minimal")),
    ],
)
def test_parameters_that_an_interface_does_not_take(model: str, params: Params) -> None:
    with pytest.raises(Misconfigured) as caught:
        made(model, params).check(params)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("model", "params"),
    [
        ("openai:gpt-4o", Params(temperature=0.5, top_p=0.5, seed=1, stop=("x",))),
        ("openai:gpt-5.1", Params(reasoning_effort="none", temperature=0.5)),
        ("openai:gpt-5-chat-latest", Params(temperature=0.5)),
        ("anthropic:claude-sonnet-5-5", Params(reasoning_effort="max", stop=("x",), prompt_cache=True)),
    ],
)
def test_parameters_that_an_interface_takes(model: str, params: Params) -> None:
    made(model, params).check(params)


def test_a_compatible_server_may_take_what_the_maker_does_not() -> None:
    params = Params(temperature=0.5)
    made("openai:o3-mini", params, service_keys(None, None, LOCAL)).check(params)


def dask() -> DaskExecutor:
    return DaskExecutor("tcp://127.0.0.1:9", ChunkSetup(lambda servers: BOTH, (), 4))


def loaded_by(call: str) -> str:
    code = (
        "import sys, pathlib\n"
        "from gate.config.models import ModelRef, Params\n"
        "from gate.calls.endpoints import Keys\n"
        "from gate.calls.providers.factory import Factory\n"
        "keys = Keys({'OPENAI_API_KEY': 'sk-openai-0123456789', 'ANTHROPIC_API_KEY': 'sk-ant-0123456789'})\n"
        f"{call}\n"
        "print({'openai', 'anthropic', 'aiohttp', 'httpx2', 'genai_prices', 'xllamacpp'} & set(sys.modules))"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_a_model_without_a_network_loads_no_sdk() -> None:
    factory = "Factory(keys, pathlib.Path('x'), 1, str)"
    assert loaded_by(f"{factory}.provider(ModelRef('fake', 'echo'), Params())") == "set()"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_lane_is_the_same_elsewhere(provider: str) -> None:
    async def lane(executor: Executor | None) -> str:
        factory = Factory(BOTH, Path("x"), 4, lambda _: "", executor=executor)
        found = factory.provider(ModelRef(provider, "a"), Params()).lane
        await factory.close()
        return found

    assert asyncio.run(lane(None)) == asyncio.run(lane(dask())) != ""


def test_an_executor_sends_no_batches() -> None:
    factory = Factory(BOTH, Path("x"), 4, lambda _: "", executor=dask())
    with pytest.raises(GateError, match="batches are sent from this process only") as caught:
        batch_service(factory, ModelRef("openai", "gpt-4o"), Params())
    assert caught.value.hint == "unset GATE_EXECUTOR, or run without --batch"
    asyncio.run(factory.close())
