"""Makes the provider that a model's name stands for, once for each model and address."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gate.domain.caching import CacheTerms
from gate.domain.model import ModelRef, Params
from gate.domain.usage import Cost, Dollars, Usage
from gate.errors import GateError, MissingKey
from gate.providers import addresses, parameters
from gate.providers.base import Misconfigured, Provider
from gate.providers.caching import terms
from gate.providers.executor import Elsewhere, Executor
from gate.providers.prices import PriceList
from gate.providers.wire import Endpoint, lane_of

if TYPE_CHECKING:
    from gate.providers.batches.port import BatchService

NO_KEY = "none"
"""Sent to a compatible server when there is no key: the interface wants some word."""

_Identity: TypeAlias = tuple[str, str, str | None, str | None]

_MOST_THREADS = 4
_PRICED = 1000
"""Tokens whose price is asked for, so as to know that of one."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys and addresses from the environment.

    Args:
        openai, anthropic: keys, or None.
        openai_base_url, anthropic_base_url: servers to use instead of the services' own, or None.
        sdk: send through the official SDKs, which start slowly and cost more per call, instead of directly.
    """

    openai: str | None = field(default=None, repr=False)
    anthropic: str | None = field(default=None, repr=False)
    openai_base_url: str | None = None
    anthropic_base_url: str | None = None
    sdk: bool = False


class Factory:
    """Owns every provider of a run.

    Args:
        keys: keys and addresses.
        cache_dir: where the packaged model is assembled.
        connections: requests that may be under way at once.
        read_text: reads a file of recorded answers, by the path after `replay:`.
        prices: prices replies; the default knows services by their addresses.
        executor: sends the requests of services (`openai`, `anthropic`) from somewhere else, and is closed with the
            factory; other models always answer in this process.
    """

    def __init__(  # noqa: PLR0913 one thing of each kind
        self,
        keys: Keys,
        cache_dir: Path,
        connections: int,
        read_text: Callable[[str], str],
        prices: PriceList | None = None,
        executor: Executor | None = None,
    ) -> None:
        self._keys = keys
        self._cache_dir = cache_dir
        self._connections = connections
        self._read_text = read_text
        self._prices = prices or PriceList()
        self._executor = executor
        self._made: dict[_Identity, Provider] = {}
        self._batches: dict[_Identity, BatchService] = {}

    def provider(self, model: ModelRef, params: Params) -> Provider:
        """The provider of a model, made at the first call; nothing is sent.

        Args:
            model: `openai`, `anthropic`, `local`, `replay` or `fake`, with a name.
            params: `base_url` and `chat_template` belong to the provider, the rest to each request.

        Raises:
            MissingKey: the environment has no key for a service that wants one.
            Misconfigured, GateError: an unknown provider, a bad address, a model file that cannot be loaded.
        """
        key = self._identity(model, params)
        if key not in self._made:
            self._made[key] = self._make(model, params)
        return self._made[key]

    def batches(self, model: ModelRef, params: Params) -> "BatchService":
        """The batch interface of a model, made at the first call, over connections of its own; nothing is sent.

        Raises:
            MissingKey, Misconfigured, GateError: as `provider` does, for a model that has no such interface, and for
                requests that are sent by an executor.
        """
        key = self._identity(model, params)
        if key not in self._batches:
            self._batches[key] = self._batch_service(model, params)
        return self._batches[key]

    def price(self, model: ModelRef, params: Params, model_id: str, usage: Usage, *, batch: bool = False) -> Cost:
        """Price one reply; see `PriceList.price`."""
        return self._prices.price(model, model_id, usage, self._address(model.provider, params) or "", batch=batch)

    def address(self, model: ModelRef, params: Params) -> str:
        """Where a model is asked; for a model that is a file, what changes with the file."""
        if model.provider in ("local", "replay") and (path := Path(model.name)).is_file():
            found = path.stat()
            return f"{path.resolve()} {found.st_size} {found.st_mtime_ns}"
        return self._address(model.provider, params) or ""

    def caching(self, model: ModelRef, params: Params) -> CacheTerms:
        """On what terms the requests of an arm are cached; see `gate.providers.caching`."""
        own = {"openai": addresses.is_openai, "anthropic": addresses.is_anthropic}.get(model.provider)
        known = own is not None and (self._prices.by_name or own(self._address(model.provider, params) or ""))
        written = self.price(model, params, model.name, Usage(cache_write_tokens=_PRICED))
        write_usd = written.amount / _PRICED if isinstance(written, Dollars) else None
        return replace(terms(model, params, known=known), write_usd=write_usd)

    def takes(self, model: ModelRef, params: Params) -> bool:
        """Does the interface of a model take these parameters? Known without a key, and without making a provider."""
        return parameters.refusal(model, replace(params, base_url=self._address(model.provider, params))) is None

    def cold(self, model: ModelRef, params: Params) -> Params:
        """Parameters of a judge: at temperature 0, where the interface takes one and nothing else was asked for."""
        cold = replace(params, temperature=0.0)
        return cold if params.temperature is None and self.takes(model, cold) else params

    async def close(self) -> None:
        """Close every provider that was made, and the executor."""
        made, self._made = list(self._made.values()), {}
        for provider in made:
            await provider.close()
        batches, self._batches = list(self._batches.values()), {}
        for service in batches:
            await service.close()
        if self._executor is not None:
            await self._executor.close()

    def _identity(self, model: ModelRef, params: Params) -> _Identity:
        template = params.chat_template if model.provider == "local" else None
        return model.provider, model.name, params.base_url, template

    def _batch_service(self, model: ModelRef, params: Params) -> "BatchService":
        from gate.providers.batches.port import Place

        if self._executor is not None:
            hint = "unset GATE_EXECUTOR, or run without --batch"
            raise GateError("batches are sent from this process only", hint)
        provider = self.provider(model, params)
        place = Place(
            model.provider, addresses.checked(self._address(model.provider, params) or "http://-"), model.name
        )
        if model.provider == "openai":
            from gate.providers.batches.openai import OpenAIBatches
            from gate.providers.openai import OpenAIProvider
            from gate.providers.sdk import openai_client

            if isinstance(provider, OpenAIProvider):
                return OpenAIBatches(provider, place, openai_client(provider.endpoint))
        if model.provider == "anthropic":
            from gate.providers.anthropic import AnthropicProvider
            from gate.providers.batches.anthropic import AnthropicBatches
            from gate.providers.sdk import anthropic_client

            if isinstance(provider, AnthropicProvider):
                return AnthropicBatches(provider, place, anthropic_client(provider.endpoint))
        raise Misconfigured(f"{model} has no batch interface", "run without --batch")

    def _make(self, model: ModelRef, params: Params) -> Provider:
        makers: dict[str, Callable[[ModelRef, Params], Provider]] = {
            "openai": self._openai,
            "anthropic": self._anthropic,
            "local": self._local,
            "replay": self._replay,
            "fake": self._fake,
        }
        if model.provider not in makers:
            raise Misconfigured(
                f"there is no provider {model.provider!r} (in {model})", f"write {':, '.join(makers)}: and a name"
            )
        if not model.name:
            raise Misconfigured(f"{model} names no model", "write provider:name")
        return makers[model.provider](model, params)

    def _address(self, provider: str, params: Params) -> str | None:
        if provider == "openai":
            return params.base_url or self._keys.openai_base_url or addresses.OPENAI_URL
        if provider == "anthropic":
            return params.base_url or self._keys.anthropic_base_url or addresses.ANTHROPIC_URL
        return None

    def _openai(self, model: ModelRef, params: Params) -> Provider:
        endpoint = self._endpoint(model, params)
        if self._executor is not None:
            own = addresses.is_openai(endpoint.base_url)
            check = partial(parameters.check_openai, model.name, own=own)
            return self._elsewhere(self._executor, check, lane_of("openai", endpoint))

        from gate.providers.openai import OpenAIProvider

        provider = OpenAIProvider(endpoint, model.name)
        self._prices.prepare()
        return provider

    def _anthropic(self, model: ModelRef, params: Params) -> Provider:
        endpoint = self._endpoint(model, params)
        if self._executor is not None:
            check = partial(parameters.check_anthropic, model.name)
            return self._elsewhere(self._executor, check, lane_of("anthropic", endpoint))

        from gate.providers.anthropic import AnthropicProvider

        provider = AnthropicProvider(endpoint, model.name)
        self._prices.prepare()
        return provider

    def _elsewhere(self, executor: Executor, check: Callable[[Params], None], lane: str) -> Provider:
        self._prices.prepare()
        return Elsewhere(executor, check, lane)

    def _endpoint(self, model: ModelRef, params: Params) -> Endpoint:
        base_url = addresses.checked(self._address(model.provider, params) or "")
        own = {"openai": addresses.is_openai, "anthropic": addresses.is_anthropic}[model.provider](base_url)
        return Endpoint(self._key_for(model, base_url, own), base_url, self._connections, self._keys.sdk)

    def _key_for(self, model: ModelRef, base_url: str, own: bool) -> str:
        """The key to send to an address.

        A key goes to its own service and to the address that the environment names, nowhere else: `params.base_url` may
        come from a pull request, and its author must not be able to have the key sent to a server of their choice.

        Raises:
            MissingKey: the service itself wants a key, and there is none.
        """
        variable = f"{model.provider.upper()}_API_KEY"
        openai = model.provider == "openai"
        key = _key(self._keys.openai if openai else self._keys.anthropic, variable)
        named = self._keys.openai_base_url if openai else self._keys.anthropic_base_url
        # An executor's workers have keys of their own.
        if own and key is None and self._executor is None:
            raise _missing(variable, model)
        trusted = (own and base_url.startswith("https://")) or (
            named is not None and base_url == addresses.checked(named)
        )
        return key if key is not None and trusted else NO_KEY

    def _local(self, model: ModelRef, params: Params) -> Provider:
        from gate.providers import packaged
        from gate.providers.local import LocalProvider

        template, path = params.chat_template, Path(model.name)
        if model.name == packaged.NAME:
            path = packaged.assemble(packaged.packaged_parts(), self._cache_dir)
            # It is a base model: it knows no roles.
            template = template or "passthrough"
        # One core is left for the rest of the gate; see LocalProvider on what a thread too many costs.
        threads = max(1, min(_MOST_THREADS, (os.cpu_count() or 1) - 1))
        return LocalProvider(path, template, threads)

    def _replay(self, model: ModelRef, params: Params) -> Provider:
        from gate.providers.replay import parse

        try:
            text = self._read_text(model.name)
        except OSError as error:
            raise GateError(f"cannot read {model.name}: {error.strerror}", "write replay:PATH.jsonl") from None
        return parse(text, model.name)

    def _fake(self, model: ModelRef, params: Params) -> Provider:
        from gate.providers.fake import FakeProvider

        return FakeProvider(model.name)


def _key(value: str | None, variable: str) -> str | None:
    """The key without the line break that often comes with it.

    Raises:
        Misconfigured: it cannot be sent in a header.
    """
    key = (value or "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Misconfigured(f"{variable} holds characters that no key has", "copy the key again, without quotes")
    return key or None


def _missing(variable: str, model: ModelRef) -> MissingKey:
    in_a_workflow = f"env: {{{variable}: ${{{{ secrets.{variable} }}}}}} in the gate's step of a workflow"
    return MissingKey(f"{model} needs a key, and {variable} is not set", f"export {variable}=…, or {in_a_workflow}")
