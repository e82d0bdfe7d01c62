"""Whose certificates a connection trusts."""

import ssl

from gate.providers.base import Misconfigured


def system_context() -> ssl.SSLContext:
    """The system's certificates; where Python's own OpenSSL knows none, those that httpx2 finds, as for the SDKs.

    Raises:
        Misconfigured: the file or folder that the environment names has no certificates.
    """
    context = ssl.create_default_context()
    if context.cert_store_stats()["x509_ca"]:
        return context
    import httpx2

    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        # Without either of these two it would have taken certificates of its own.
        what = f"the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read: {error.strerror or error}"
        raise Misconfigured(what, "let it name PEM certificates, or unset it") from None
