"""One variable for a private certificate authority, whichever client reads it."""

import os
from pathlib import Path


def share_certificates() -> None:
    """Let one variable for a private certificate authority be enough.

    The models' clients read SSL_CERT_FILE and SSL_CERT_DIR, and GitHub's reads REQUESTS_CA_BUNDLE.
    """
    env = os.environ
    openssl = env.get("SSL_CERT_FILE") or env.get("SSL_CERT_DIR")
    bundle = env.get("REQUESTS_CA_BUNDLE") or env.get("CURL_CA_BUNDLE")
    if openssl and not bundle:
        env["REQUESTS_CA_BUNDLE"] = openssl
    if bundle and not openssl:
        env["SSL_CERT_DIR" if Path(bundle).is_dir() else "SSL_CERT_FILE"] = bundle
