"""Azure OpenAI, Amazon Bedrock and Google Vertex by their SDKs: paths, headers and signatures."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from gate.calls.batches.jobs import batch_service
from gate.calls.endpoints import Keys
from gate.calls.interface import Completion, Request
from gate.calls.providers.anthropic import AnthropicProvider
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params
from gate.environment.settings import Settings, keys_of
from gate.errors import GateError, MissingKey
from gate.messages import Message

AZURE_KEY = "azure-key-0123456789abcdef"
ACCESS, SECRET, SESSION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "session-token-0123456789"
TOKEN = "ya29.loopback-0123456789"
OPENAI_REPLY = {
    "model": "gpt-4o-2024-11-20",
    "choices": [{"message": {"content": "blue"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1},
}
ANTHROPIC_REPLY = {
    "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "blue"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 9, "output_tokens": 1},
}


class Cloud:
    """A loopback server that answers every path and keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 200
        self.error: object = None
        cloud = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                cloud.sent.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                self._reply(*cloud.reply(self.path))

            def _reply(self, status: int, data: object) -> None:
                text = json.dumps(data).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def reply(self, path: str) -> tuple[int, object]:
        if path == "/token":
            return 200, {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"}
        if self.error is not None:
            return self.status, self.error
        return 200, OPENAI_REPLY if "deployments" in path else ANTHROPIC_REPLY

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    cloud = Cloud()
    yield cloud
    cloud.close()


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without credentials of its own."""
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_GCE_CHECK", "true")


def asked(model: str, environ: Mapping[str, str]) -> Completion:
    """One answer of a model, with the keys of an environment."""

    async def main() -> Completion:
        provider, _, name = model.partition(":")
        ref, params = ModelRef(provider, name), Params(max_output_tokens=64)
        factory = Factory(keys_of(Settings.from_environ(environ)), Path("unused"), 4, lambda _: "")
        try:
            messages = (Message("system", "Answer with a colour."), Message("user", "The sky?"))
            return await factory.provider(ref, params).complete(Request(messages, ref, params))
        finally:
            await factory.close()

    return asyncio.run(main())


def azure(cloud: Cloud) -> dict[str, str]:
    return {
        "AZURE_OPENAI_ENDPOINT": cloud.url,
        "AZURE_OPENAI_API_KEY": AZURE_KEY,
        "OPENAI_API_VERSION": "2025-04-01-preview",
    }


def test_azure_is_asked_for_a_deployment(cloud: Cloud) -> None:
    assert asked("azure:my-gpt", azure(cloud)).text == "blue"
    ((path, headers, body),) = cloud.sent
    parts = urlsplit(path)
    assert parts.path == "/openai/deployments/my-gpt/chat/completions"
    assert parse_qs(parts.query) == {"api-version": ["2025-04-01-preview"]}
    assert headers["api-key"] == AZURE_KEY and "authorization" not in headers
    assert json.loads(body)["max_completion_tokens"] == 64


def test_an_access_token_of_azure_comes_first(cloud: Cloud) -> None:
    asked("azure:my-gpt", azure(cloud) | {"AZURE_OPENAI_AD_TOKEN": "entra-token-0123456789"})
    headers = cloud.sent[0][1]
    assert headers["authorization"] == "Bearer entra-token-0123456789" and "api-key" not in headers


def test_azure_names_all_variables_that_are_not_set() -> None:
    with pytest.raises(MissingKey, match="AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY and OPENAI_API_VERSION"):
        asked("azure:my-gpt", {})


def bedrock(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    for name, value in (
        ("AWS_ACCESS_KEY_ID", ACCESS),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_SESSION_TOKEN", SESSION),
    ):
        monkeypatch.setenv(name, value)
    return {"AWS_REGION": "eu-central-1", "ANTHROPIC_BEDROCK_BASE_URL": cloud.url}


def test_bedrock_is_signed_for(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    model = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
    assert asked(f"bedrock:{model}", bedrock(cloud, monkeypatch)).text == "blue"
    ((path, headers, body),) = cloud.sent
    assert path == f"/model/{model}/invoke"
    data = json.loads(body)
    assert "model" not in data and data["anthropic_version"] and data["max_tokens"] == 64
    assert headers["x-amz-security-token"] == SESSION
    assert headers["authorization"] == signature(cloud.url + path, headers, body)


def signature(url: str, headers: Mapping[str, str], body: bytes) -> str:
    """The signature (version 4) that Amazon would work out for a request that it received."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    said = headers["authorization"]
    names = said.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    request = AWSRequest("POST", url, {name: headers[name] for name in names}, body)
    request.context["timestamp"] = headers["x-amz-date"]
    signer = SigV4Auth(Credentials(ACCESS, SECRET, SESSION), "bedrock", "eu-central-1")
    found = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    scope = f"{headers['x-amz-date'][:8]}/eu-central-1/bedrock/aws4_request"
    return f"AWS4-HMAC-SHA256 Credential={ACCESS}/{scope}, SignedHeaders={';'.join(names)}, Signature={found}"


def test_a_key_of_bedrock_needs_no_signature(cloud: Cloud) -> None:
    environ = {"AWS_REGION": "eu-central-1", "AWS_BEARER_TOKEN_BEDROCK": "bedrock-api-key-0123456789"}
    asked("bedrock:anthropic.claude", environ | {"ANTHROPIC_BEDROCK_BASE_URL": cloud.url})
    assert cloud.sent[0][1]["authorization"] == "Bearer bedrock-api-key-0123456789"


def test_bedrock_without_credentials_or_region(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingKey, match="needs credentials") as caught:
        asked("bedrock:anthropic.claude", {"AWS_REGION": "eu-central-1"})
    assert "AWS_ACCESS_KEY_ID" in caught.value.hint
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with pytest.raises(MissingKey, match="AWS_REGION is not set"):
        asked("bedrock:anthropic.claude", {})


def vertex(cloud: Cloud, monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    """A service account whose tokens the loopback server hands out."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {
        "type": "service_account",
        "project_id": "of-the-account",
        "private_key": key.decode(),
        "private_key_id": "1",
        "client_email": "gate@example.invalid",
        "token_uri": f"{cloud.url}/token",
    }
    path = folder / "account.json"
    path.write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    return {"CLOUD_ML_REGION": "europe-west1", "ANTHROPIC_VERTEX_BASE_URL": f"{cloud.url}/v1"}


@pytest.mark.parametrize("project", ["", "of-the-environment"])
def test_vertex_is_asked_with_a_token(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, project: str
) -> None:
    environ = vertex(cloud, monkeypatch, tmp_path) | {"ANTHROPIC_VERTEX_PROJECT_ID": project}
    assert asked("vertex:claude-sonnet-4-5@20250929", environ).text == "blue"
    path, headers, body = cloud.sent[-1]
    place = f"/v1/projects/{project or 'of-the-account'}/locations/europe-west1/publishers/anthropic"
    assert path == f"{place}/models/claude-sonnet-4-5@20250929:rawPredict"
    assert headers["authorization"] == f"Bearer {TOKEN}"
    data = json.loads(body)
    assert "model" not in data and data["anthropic_version"]


@pytest.mark.parametrize(
    ("region", "host"), [("global", "aiplatform"), ("eu", "aiplatform.eu.rep"), ("us-east5", "us-east5-aiplatform")]
)
def test_vertex_has_an_address_for_each_region(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, region: str, host: str
) -> None:
    environ = vertex(cloud, monkeypatch, tmp_path)
    del environ["ANTHROPIC_VERTEX_BASE_URL"]
    factory = Factory(keys_of(Settings.from_environ(environ | {"CLOUD_ML_REGION": region})), Path("unused"), 1, str)
    model = ModelRef("vertex", "claude")
    provider = factory.provider(model, Params())
    assert isinstance(provider, AnthropicProvider)
    address = f"https://{host}.googleapis.com/v1"
    assert str(provider.client.sdk.base_url).rstrip("/") == factory.address(model) == address
    asyncio.run(factory.close())


def test_vertex_without_credentials_or_region() -> None:
    with pytest.raises(MissingKey, match="needs credentials") as caught:
        asked("vertex:claude", {"CLOUD_ML_REGION": "europe-west1"})
    assert "GOOGLE_APPLICATION_CREDENTIALS" in caught.value.hint
    with pytest.raises(MissingKey, match="CLOUD_ML_REGION is not set"):
        asked("vertex:claude", {})


@pytest.mark.parametrize("model", ["azure:m", "bedrock:m", "vertex:m"])
def test_no_batches_there(cloud: Cloud, model: str) -> None:
    provider, _, name = model.partition(":")
    with pytest.raises(GateError, match="no batch interface"):
        batch_service(Factory(Keys(), Path("unused"), 1, lambda _: ""), ModelRef(provider, name), Params())
