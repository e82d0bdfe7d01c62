"""A model in this very process: llama.cpp, embedded by the package `xllamacpp`."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from gate.calls.endpoints import reply_limits, schema_with_bounds, seed_of
from gate.calls.interface import Completion, Misconfigured, RejectedRequest, Request, Transient
from gate.calls.untrusted import Cleaner, MalformedReply, UnusableReply, object_at, token_count
from gate.config.models import Params
from gate.errors import GateError, with_extra
from gate.record.transcript import Usage
from gate.values import JsonValue

PASSTHROUGH = (
    "{%- for m in messages -%}{{ m['content'] }}{%- if not loop.last -%}{{ '\\n' }}{%- endif -%}{%- endfor -%}"
)
"""A base model knows no roles: its messages are joined by line breaks and continued."""

DEFAULT_MAX_TOKENS = 512
"""A base model often does not stop; this is the limit if the user sets none."""

STRUCTURED_TOKENS = 2_048
"""The limit of a structured reply when the user names none: its end is in the grammar."""

SLOTS = 2
"""One for each arm, so that each has its own prefix cached."""

CONTEXT_TOKENS = 4096
"""Per slot."""


class Engine(Protocol):
    """The methods of `xllamacpp.Server` that are used."""

    def handle_chat_completions(self, request: dict[str, JsonValue]) -> Any: ...


@dataclass(slots=True)
class _Slots:
    """Which slot serves which prompt.

    llama.cpp chooses by how alike the whole texts are; two versions of one prompt are alike, and would drive each
    other's prefix out of the cache.
    """

    prompts: dict[str, int] = field(default_factory=dict)

    def of(self, prompt: str) -> int:
        """The slot that served this prompt before, or else the one whose turn it is."""
        return self.prompts.setdefault(prompt, len(self.prompts) % SLOTS)


class LocalProvider:
    """One GGUF file, loaded when the provider is made and freed when it is closed. Raises `GateError`.

    Args:
        chat_template: `passthrough`, or None for the file's own template.
        threads: of llama.cpp. More than there are idle cores makes it many times slower, for they wait by spinning.
    """

    # Measured on two cores: a second request at once gains nothing.
    max_in_flight: int | None = 1
    priced = False

    def __init__(
        self, path: Path, chat_template: str | None, threads: int, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        _check_file(path)
        self._name = path.name
        self.lane = f"local {path} {chat_template}"
        self._clock = clock
        self._slots = _Slots()
        self._engine: Engine | None = _load(path, chat_template, threads)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="llama")
        # A first request loads the file's pages, which is no latency of the model; and an engine that is freed before
        # it has served anything may hang.
        self._ask({"messages": [{"role": "user", "content": "."}], "max_tokens": 1})

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that llama.cpp does not take."""
        if params.reasoning_effort is not None:
            raise Misconfigured("local: models do not take reasoning_effort", "remove it")
        if params.chat_template not in (None, "passthrough"):
            raise Misconfigured(
                f"local: models do not have the chat_template {params.chat_template!r}",
                "use passthrough, or remove it to use the model file's own template",
            )

    async def complete(self, request: Request) -> Completion:
        """Send one request, once.

        A request that is cancelled or timed out while llama.cpp works on it is finished in the background, and the
        next one waits for it.
        """
        self.check(request.params)
        if not request.messages:
            raise RejectedRequest("there is no message to answer")
        if any(message.images for message in request.messages):
            raise RejectedRequest("local: models take no images")
        if self._engine is None:
            raise Transient("the local model is closed")
        loop, timeout_s = asyncio.get_running_loop(), request.params.timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                return await loop.run_in_executor(
                    self._worker,
                    self._complete,
                    {**_body(request), "id_slot": self._slots.of(request.messages[0].content)},
                )
        except TimeoutError:
            raise Transient(f"the local model gave no answer within {timeout_s:g} s") from None

    async def close(self) -> None:
        """Finish what llama.cpp is doing and free its memory; a second call does nothing."""
        if self._engine is not None:
            await asyncio.get_running_loop().run_in_executor(self._worker, self._free)
        self._worker.shutdown()

    def _free(self) -> None:
        self._engine = None

    def _complete(self, body: dict[str, JsonValue]) -> Completion:
        started = self._clock()
        data = self._ask(body)
        latency_s = self._clock() - started
        try:
            return completion(data, self._name, latency_s)
        except MalformedReply as error:
            raise Transient(f"llama.cpp: {error}") from None
        except UnusableReply as error:
            raise RejectedRequest(f"llama.cpp: {error}") from None

    def _ask(self, body: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if self._engine is None:  # closed while this request waited
            raise Transient("the local model is closed")
        try:
            data = self._engine.handle_chat_completions(body)
        except (ValueError, RuntimeError) as error:
            raise RejectedRequest(f"llama.cpp refused the request: {Cleaner().line(str(error), 200)}") from None
        return data if isinstance(data, dict) else {}


def import_error(error: ImportError) -> GateError:
    """The error for an `xllamacpp` that cannot be imported."""
    if error.name == "xllamacpp":
        return GateError("local: models need llama.cpp, which is not installed", with_extra("local"))
    if "libgomp" in str(error):
        return GateError(
            "llama.cpp needs the system library libgomp.so.1, which is missing",
            "install the package libgomp1 (Debian, Ubuntu: apt-get install libgomp1) or libgomp (Fedora, Alpine)",
        )
    return GateError(f"llama.cpp cannot be loaded: {Cleaner().line(str(error), 200)}", with_extra("local"))


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise GateError(f"cannot read the model file {path}: {error.strerror}", "write local:PATH.gguf") from None
    if magic != b"GGUF":
        raise GateError(f"{path} is not a GGUF file", "convert the model to GGUF, or download it in that format")


def _load(path: Path, chat_template: str | None, threads: int) -> Engine:
    try:
        import xllamacpp
    except ImportError as error:
        raise import_error(error) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_parallel = SLOTS
    params.n_ctx = CONTEXT_TOKENS * SLOTS
    # Without the whole cache of sliding-window layers a cached prefix cannot be used again.
    params.swa_full = True
    params.warmup = False
    # Fitting to a graphics card loads the model a second time.
    params.fit_params = False
    params.use_jinja = True
    params.verbosity = -1
    if chat_template == "passthrough":
        params.chat_template = PASSTHROUGH
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = threads
    try:
        engine: Engine = xllamacpp.Server(params)
    except RuntimeError as error:
        raise GateError(
            f"llama.cpp cannot load {path}: {Cleaner().line(str(error), 200)}",
            "the file may be damaged, or this version of xllamacpp may not support its kind of model",
        ) from None
    return engine


def _body(request: Request) -> dict[str, JsonValue]:
    params = request.params
    cleaner = Cleaner()
    default = DEFAULT_MAX_TOKENS if request.schema is None else STRUCTURED_TOKENS
    body: dict[str, JsonValue] = {
        "messages": [{"role": m.role, "content": cleaner.text(m.content)} for m in request.messages],
        "max_tokens": default if params.max_output_tokens is None else params.max_output_tokens,
        "seed": seed_of(request),
    }
    optional: dict[str, JsonValue] = {
        "temperature": params.temperature,
        "top_p": params.top_p,
        "stop": list(params.stop) or None,
    }
    body.update({key: value for key, value in optional.items() if value is not None})
    if request.schema is not None:
        schema = schema_with_bounds(dict(request.schema), reply_limits(request.model))
        shape: dict[str, JsonValue] = {"name": "answer", "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    return body


def completion(data: dict[str, JsonValue], name: str, latency_s: float) -> Completion:
    """Read a reply of llama.cpp. Raises `RejectedRequest`, `Transient`, `MalformedReply`."""
    if isinstance(data.get("error"), dict):
        said, code = Cleaner().line(object_at(data, "error").get("message")), object_at(data, "error").get("code")
        if isinstance(code, int) and 400 <= code < 500:
            raise RejectedRequest(f"llama.cpp refused the request: {said}")
        raise Transient(f"llama.cpp failed: {said}")
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = object_at(choice, "message")
    thinking = message.get("reasoning_content")
    text = message.get("content")
    if text is None and isinstance(thinking, str):  # cut off inside the thinking
        text = ""
    if not isinstance(choice, dict) or not isinstance(text, str):
        raise MalformedReply("the reply has no text")
    usage = object_at(data, "usage")
    prompt, output = token_count(usage.get("prompt_tokens")) or 0, token_count(usage.get("completion_tokens")) or 0
    read = min(token_count(object_at(usage, "prompt_tokens_details").get("cached_tokens")) or 0, prompt)
    stop = Cleaner().line(choice.get("finish_reason"), 64)
    usage_read = Usage(prompt - read, read, 0, output)
    thoughts = Cleaner().thinking([thinking] if isinstance(thinking, str) else [])
    return Completion(Cleaner().text(text), name, usage_read, latency_s, stop, thinking=thoughts)
