"""OpenAI's Chat Completions, and every server that speaks the same interface."""

import re
from dataclasses import replace

from gate.domain.jsonvalue import JsonValue
from gate.domain.model import Params
from gate.domain.usage import Usage
from gate.providers import addresses
from gate.providers.base import Completion, Misconfigured, Rejected, Request, Transient
from gate.providers.exchange import Endpoint, Exchange, SdkErrors, client_settings, lane_of, quick_import
from gate.providers.failures import Service
from gate.providers.seeds import seed_of
from gate.providers.untrusted import Cleaner, Malformed, TooLong, count, table

_REASONING = re.compile(r"^(ft:)?(o[1-9]|gpt-([5-9]|\d\d))")


class OpenAIProvider:
    """One model behind one address.

    Args:
        endpoint: key, address, connections.
        model: the interface's name for the model.
    """

    max_in_flight: int | None = None
    priced = True

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        with quick_import():
            import openai as sdk
        self._own = addresses.is_openai(endpoint.base_url)
        self._limit = "max_completion_tokens" if addresses.takes_new_token_limit(endpoint.base_url) else "max_tokens"
        self._model = model
        self.lane = lane_of("openai", endpoint)
        name = "OpenAI" if self._own else addresses.host(endpoint.base_url)
        self._service = Service(name, "OPENAI_API_KEY", model)
        self._client = sdk.AsyncOpenAI(
            api_key=endpoint.api_key,
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=sdk.DefaultAioHttpClient(**client_settings(endpoint.connections)),  # type: ignore[arg-type]
        )
        self._cleaner = Cleaner((endpoint.api_key,))
        errors = SdkErrors(sdk.APIStatusError, sdk.APIConnectionError)
        self._exchange = Exchange(self._client, errors, self._cleaner)

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that this model's interface does not take."""
        if params.chat_template is not None:
            raise Misconfigured("openai: takes no chat_template", "remove it; it belongs to local: models")
        if not self._own or params.reasoning_effort == "none" or not is_reasoning(self._model):
            return
        for name in ("temperature", "top_p"):
            if getattr(params, name) is not None:
                raise Misconfigured(
                    f"openai:{self._model} is a reasoning model and takes no {name}",
                    f"remove {name}, or set reasoning_effort: none where the model allows it",
                )

    async def complete(self, request: Request) -> Completion:
        """Send one request, once; see `gate.providers.base.Provider`."""
        self.check(request.params)
        received = await self._exchange.post(
            "/chat/completions", self._body(request), self._service, request.params.timeout_s
        )
        try:
            answer = completion(received.data, received.latency_s, self._cleaner, self._model)
        except Malformed as error:
            raise Transient(f"{self._service.name}: {error}") from None
        except TooLong as error:
            raise Rejected(f"{self._service.name}: {error}") from None
        return answer if received.headroom is None else replace(answer, headroom=received.headroom)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _body(self, request: Request) -> dict[str, JsonValue]:
        params = request.params
        messages: list[JsonValue] = [{"role": m.role, "content": m.content} for m in request.messages]
        body: dict[str, JsonValue] = {"model": self._model, "messages": messages}
        optional: dict[str, JsonValue] = {
            self._limit: params.max_output_tokens,
            "temperature": params.temperature,
            "top_p": params.top_p,
            "stop": list(params.stop) or None,
            "seed": None if params.seed is None else seed_of(request),
            "reasoning_effort": params.reasoning_effort,
        }
        body.update({key: value for key, value in optional.items() if value is not None})
        if request.schema is not None:
            shape: dict[str, JsonValue] = {"name": "answer", "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return body


def completion(data: dict[str, JsonValue], latency_s: float, cleaner: Cleaner, asked: str) -> Completion:
    """Read a reply, every field of which may be missing or hostile.

    Args:
        data: the JSON object of the reply.
        latency_s: seconds that it took.
        cleaner: removes secrets and what cannot be printed.
        asked: the model that was asked, for a reply that names none.

    Raises:
        Malformed: there is no message in it.
        TooLong: the answer is longer than any that is kept.
    """
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        said = cleaner.line(table(data, "error").get("message"))
        raise Malformed("the reply holds no choice with a message" + (f": {said}" if said else ""))
    content, refusal = message.get("content"), message.get("refusal")
    if content is not None and not isinstance(content, str):
        raise Malformed("the content of the reply is not text")
    refused = isinstance(refusal, str) and bool(refusal) and not content
    return Completion(
        text=cleaner.answer(str(refusal) if refused else content or ""),
        model_id=cleaner.line(data.get("model"), 200) or asked,
        usage=_usage(table(data, "usage")),
        latency_s=latency_s,
        stop_reason="refusal" if refused else cleaner.line(choice.get("finish_reason"), 64),
    )


def is_reasoning(model: str) -> bool:
    """Does OpenAI's interface refuse sampling parameters for this model?"""
    return _REASONING.match(model) is not None and "chat" not in model


def _usage(usage: dict[str, JsonValue]) -> Usage:
    """Tokens by kind; all zero, which nobody prices, when the server does not say."""
    prompt, output = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    if prompt is None or output is None:
        return Usage()
    details = table(usage, "prompt_tokens_details")
    read = min(count(details.get("cached_tokens")) or 0, prompt)
    write = min(count(details.get("cache_write_tokens")) or 0, prompt - read)
    return Usage(prompt - read - write, read, write, output)
