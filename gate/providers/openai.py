"""OpenAI's Chat Completions, and every server that speaks the same interface."""

from gate.domain.jsonvalue import JsonValue
from gate.domain.model import Params
from gate.domain.usage import Usage
from gate.providers import addresses
from gate.providers.base import Completion, Request
from gate.providers.exchange import Exchange
from gate.providers.failures import Service
from gate.providers.parameters import check_openai
from gate.providers.seeds import seed_of
from gate.providers.untrusted import Cleaner, Malformed, count, table
from gate.providers.wire import Endpoint, Wire, lane_of


class OpenAIProvider:
    """One model behind one address.

    Args:
        endpoint: key, address, connections.
        model: the interface's name for the model.
    """

    max_in_flight: int | None = None
    priced = True

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self.endpoint = endpoint
        self._own = addresses.is_openai(endpoint.base_url)
        self._limit = "max_completion_tokens" if addresses.takes_new_token_limit(endpoint.base_url) else "max_tokens"
        self.model = model
        self.lane = lane_of("openai", endpoint)
        name = "OpenAI" if self._own else addresses.host(endpoint.base_url)
        self.service = Service(name, "OPENAI_API_KEY", model)
        self.cleaner = Cleaner((endpoint.api_key,))
        self._exchange = Exchange(_wire(endpoint), self.service, self.cleaner, completion)

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that this model's interface does not take."""
        check_openai(self.model, params, own=self._own)

    async def complete(self, request: Request) -> Completion:
        """Send one request, once; see `gate.providers.base.Provider`."""
        self.check(request.params)
        return await self._exchange.post(self.body(request), request.params.timeout_s)

    async def close(self) -> None:
        """Close the connections."""
        await self._exchange.wire.close()

    def body(self, request: Request) -> dict[str, JsonValue]:
        """What is sent for a request, by itself or as a line of a batch."""
        params = request.params
        messages: list[JsonValue] = [{"role": m.role, "content": m.content} for m in request.messages]
        body: dict[str, JsonValue] = {"model": self.model, "messages": messages}
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


def _wire(endpoint: Endpoint) -> Wire:
    if endpoint.sdk:
        from gate.providers.sdk import openai_wire

        return openai_wire(endpoint)
    from gate.providers.direct import DirectWire

    url = f"{endpoint.base_url.rstrip('/')}/chat/completions"
    return DirectWire(url, {"Authorization": f"Bearer {endpoint.api_key}"}, endpoint.connections)


def completion(data: dict[str, JsonValue], latency_s: float | None, cleaner: Cleaner, asked: str) -> Completion:
    """Read a reply, every field of which may be missing or hostile.

    Args:
        data: the JSON object of the reply.
        latency_s: seconds that it took; None where time means nothing.
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


def _usage(usage: dict[str, JsonValue]) -> Usage:
    """Tokens by kind; all zero, which nobody prices, when the server does not say."""
    prompt, output = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    if prompt is None or output is None:
        return Usage()
    details = table(usage, "prompt_tokens_details")
    read = min(count(details.get("cached_tokens")) or 0, prompt)
    write = min(count(details.get("cache_write_tokens")) or 0, prompt - read)
    return Usage(prompt - read - write, read, write, output)
