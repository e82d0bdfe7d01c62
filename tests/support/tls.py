"""A TLS front for a server on loopback, with a certificate that nobody vouches for."""

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def make_certificate(folder: Path, address: str = "127.0.0.1") -> tuple[Path, Path]:
    """Key and certificate of an address."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=127.0.0.1", "-addext", f"subjectAltName=IP:{address}"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    return key, certificate


@contextmanager
def tls_front(url: str, key: Path, certificate: Path) -> Iterator[str]:
    """The https:// address of a server whose http:// address is `url`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    port = int(url.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    plain, _ = listening.accept()
                    threading.Thread(target=_forward, args=(plain, context, port), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"


def _forward(plain: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with suppress(OSError), context.wrap_socket(plain, server_side=True) as outside:
        with socket.create_connection(("127.0.0.1", port)) as inside:
            threading.Thread(target=_pump, args=(inside, outside), daemon=True).start()
            _pump(outside, inside)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
