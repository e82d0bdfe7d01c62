"""One variable for a private certificate authority, whichever client reads it."""

import os
from pathlib import Path


def share_certificates() -> None:
    """Let one variable for a private certificate authority be enough.

    The models' clients read SSL_CERT_FILE and SSL_CERT_DIR, and GitHub's reads REQUESTS_CA_BUNDLE. The other client
    trusts the private certificates beside its usual ones, since it may call a public service.
    """
    env = os.environ
    openssl = env.get("SSL_CERT_FILE") or env.get("SSL_CERT_DIR")
    bundle = env.get("REQUESTS_CA_BUNDLE") or env.get("CURL_CA_BUNDLE")
    if openssl and not bundle:
        env["REQUESTS_CA_BUNDLE"] = _with_public_ones(Path(openssl))
    if bundle and not openssl:
        env["SSL_CERT_FILE"] = _with_public_ones(Path(bundle))


def _with_public_ones(private: Path) -> str:
    """A file with private and public certificates; the path itself where it cannot be read."""
    # Every command begins here, and few need these.
    import atexit
    import ssl
    import tempfile

    import certifi

    system = Path(ssl.get_default_verify_paths().openssl_cafile)
    try:
        own = [file for file in private.iterdir() if file.is_file()] if private.is_dir() else [private]
        texts = [file.read_bytes() for file in (Path(certifi.where()), *[system] * system.is_file(), *own)]
    except OSError:
        # The client that reads it names it.
        return str(private)
    with tempfile.NamedTemporaryFile(prefix="prompt-gate-", suffix=".pem", delete=False) as joined:
        joined.write(b"\n".join(texts))
    atexit.register(Path(joined.name).unlink, missing_ok=True)
    return joined.name
