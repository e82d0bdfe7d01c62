"""Converts the sample and the model of a `.prompty` file, with the losses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gate.cases.case import Entry
from gate.cases.losses import Losses
from gate.cases.promptfoo_files import no_file
from gate.cases.promptfoo_providers import params_of
from gate.cases.rows import Draft, RowPlace
from gate.config.documents import Document, Problems, one_problem, quoted
from gate.config.models import foreign_model
from gate.prompts.prompty import References, env_default, front_matter, inputs_of, sample_values
from gate.prompts.version import Library
from gate.values import JsonValue

_AZURE = ("azure", "azure_openai", "azure_openai_beta", "foundry")
_OWN = ("openai", "anthropic", "bedrock", "vertex")
_AZURE_KEYS = "AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY and OPENAI_API_VERSION"
_PUBLIC = ("https://api.openai.com", "https://api.anthropic.com")
_SERVER = "name its server under providers: in gate.yaml, and the model with it"
_NAMES = ("azure_deployment", "deployment", "model", "model_name", "name")
_SHAPES = ("response_format", "responseFormat")
_NO_LOSS = ("stream", "tools", "tool_choice", "n", "max_retries")
"""Parameters that say nothing of the answer, or that the prompt's own settings losses of."""


def sample_of(text: str, file: str, losses: Losses, other: Callable[[str], str | None] = no_file) -> Entry:
    """Read the sample as a case.

    Args:
        other: reads another file by its path from the root.
    """
    problems = Problems(file)
    front, _ = front_matter(text.removeprefix("\ufeff").replace("\r\n", "\n"), problems)
    problems.check()
    references = References(Library(file, _bytes(other)))
    given: dict[str, JsonValue] = {}
    for one in inputs_of(front, references):
        value = one.example if one.value is None else one.value
        if value is not None and value != "" and value != []:
            given[one.name] = value
    given |= sample_values(front, references)
    sample = front.get("sample")
    line = sample.line if sample is not None else 0
    for name in dict.fromkeys(references.lost):
        hint = "put it beside the prompt, or write the sample into the prompt"
        losses.add(line, f"the file {quoted(name)} of the sample is left out: it cannot be read", hint)
    draft = Draft(RowPlace(line, 1, losses), "sample")
    said = given.pop("input", None)
    if isinstance(said, str) and said.strip():
        draft.case["input"] = said
    draft.variables(given)
    if len(draft.case) == 1:
        raise one_problem(file, 0, "has no sample", "write sample: {name: value} into its front matter")
    return draft.done()


def _bytes(other: Callable[[str], str | None]) -> Callable[[str], bytes | None]:
    def read(path: str) -> bytes | None:
        text = other(path)
        return None if text is None else text.encode("utf-8", "surrogatepass")

    return read


@dataclass(frozen=True, slots=True)
class PromptyModel:
    """The model of a file.

    Args:
        name: as `provider:name`; None if the file names none, or an unsupported one.
        json: the answer must be JSON.
    """

    name: str | None
    params: Mapping[str, JsonValue]
    json: bool = False


def model_of(text: str, file: str, losses: Losses, other: Callable[[str], str | None] = no_file) -> PromptyModel:
    """Read the model, in the old or the new version of the format."""
    front, _ = front_matter(text.removeprefix("\ufeff").replace("\r\n", "\n"), Problems(file))
    node = front.get("model")
    if front.get("base") is not None:
        losses.add(front.line_of("base"), "the file that base: names is left out", "write its settings into gate.yaml")
    if node is None or node.data is None:
        return PromptyModel(None, {})
    row = References(Library(file, _bytes(other))).files_in(node.data)
    if not isinstance(row, dict):
        return PromptyModel(_model_of_service("", {"name": row}, node, losses), {})
    inner = _mapping(row, "configuration") | _mapping(row, "connection")
    service = str(row.get("provider") or inner.get("type") or inner.get("provider") or "").lower()
    named = {**inner, "id": row.get("id", row.get("name"))}
    if not service and ("azure_deployment" in inner or "azure_endpoint" in inner):
        service = "azure"
    given = _mapping(row, "parameters") | _mapping(row, "options")
    given |= _mapping(given, "additionalProperties")
    given.pop("additionalProperties", None)
    params = params_of({key: value for key, value in given.items() if not _is_ignored(key)}, node.line, losses)
    shape = next((given[key] for key in _SHAPES if key in given), None)
    kind = shape.get("type") if isinstance(shape, dict) else shape
    return PromptyModel(_model_of_service(service, named, node, losses), params, kind in ("json_object", "json_schema"))


def _mapping(row: Mapping[str, JsonValue], key: str) -> dict[str, JsonValue]:
    found = row.get(key)
    return dict(found) if isinstance(found, dict) else {}


def _is_ignored(key: str) -> bool:
    return key in _NO_LOSS or key in _SHAPES


def _model_of_service(service: str, named: Mapping[str, JsonValue], node: Document, losses: Losses) -> str | None:
    """The model of a service; adds a loss if the gate cannot call it, or calls it differently."""
    name = next((text for key in ("id", *_NAMES) if (text := named.get(key)) and isinstance(text, str)), "")
    if name.startswith("${env:"):
        variable = name.removeprefix("${env:").partition(":")[0].rstrip("}")
        name = env_default(name.removeprefix("${env:").removesuffix("}")) or ""
        if not name:
            said = f"the model is left out: only the environment variable {variable} names it"
            losses.add(node.line, said, "name the model in gate.yaml")
            return None
    if not name:
        return None
    if service in _AZURE:
        losses.add(node.line, f"azure:{name} is changed: it is asked as {_AZURE_KEYS} say", "set these")
        return f"azure:{name}"
    if service and service not in _OWN:
        losses.add(node.line, f"the service {quoted(service)} of the model {quoted(name)} is left out", _SERVER)
        return None
    address = next((text for key in ("endpoint", "base_url") if isinstance(text := named.get(key), str)), "")
    if address.startswith("${env:"):
        address = env_default(address.removeprefix("${env:").removesuffix("}")) or ""
    if address and not address.startswith(_PUBLIC):
        losses.add(node.line, f"the address {quoted(address)} of the model {quoted(name)} is left out", _SERVER)
        return None
    found = foreign_model(f"{service}:{name}" if service and not name.startswith(f"{service}:") else name)
    if found is None:
        said = f"the model {quoted(name)} is not a model of the gate"
        losses.add(node.line, said, "name a model: openai:…, anthropic:…")
    return None if found is None else str(found)
