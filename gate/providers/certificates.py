"""Whose certificates a connection trusts: loaded once, and only where a connection needs them."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def none_loaded() -> Iterator[None]:
    """Give TLS contexts that are made meanwhile no certificates, so that they trust nobody.

    For the import of aiohttp, which makes two contexts that nothing here uses. Each would load the system's
    certificates, and with OpenSSL 3.0 that takes as long as a tenth of all imports.
    """
    load = ssl.SSLContext.set_default_verify_paths
    ssl.SSLContext.set_default_verify_paths = _nothing  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        ssl.SSLContext.set_default_verify_paths = load  # type: ignore[method-assign]


def system_context() -> ssl.SSLContext:
    """The system's certificates; where Python's own OpenSSL knows none, those that httpx2 finds, as for the SDKs."""
    context = ssl.create_default_context()
    if context.cert_store_stats()["x509_ca"]:
        return context
    import httpx2

    return httpx2.create_ssl_context()


def _nothing(context: ssl.SSLContext) -> None:
    return
