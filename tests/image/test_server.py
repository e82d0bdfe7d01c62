"""The full image also serves the web interface: as any user, with write access only to its store."""

import json

import pytest

from tests.image.builder import Image

pytestmark = pytest.mark.image

PYTHON = "/opt/gate/bin/python"
SERVED = """
import json, os, subprocess, urllib.request
os.makedirs("/tmp/here"); os.chown("/tmp/here", 10001, 10001)
words = ["/opt/gate/bin/gate", "serve", "--port", "0", "--log-format", "json"]
env = {"HOME": "/tmp/here", "PATH": os.environ["PATH"]}
pipe = subprocess.PIPE
server = subprocess.Popen(words, cwd="/tmp/here", env=env, user=10001, group=10001, stdout=pipe, stderr=pipe, text=True)
url = server.stdout.readline().split()[-1]
found = {}
for path in ("healthz", "readyz", "runs", "metrics"):
    with urllib.request.urlopen(url + path, timeout=30) as answer:
        found[path] = answer.status
server.terminate()
_, err = server.communicate(timeout=30)
found["lines"] = [json.loads(line)["status"] for line in err.splitlines()]
print(json.dumps(found))
"""


def test_it_serves_the_web_interface(full: Image) -> None:
    done = full.run((PYTHON, "-c", SERVED))
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found == {"healthz": 200, "readyz": 200, "runs": 200, "metrics": 200, "lines": [200] * 4}


def test_it_has_all_extras(full: Image) -> None:
    names = "boto3, distributed, google.auth, gate.telemetry.export, psycopg, xllamacpp"
    done = full.run((PYTHON, "-c", f"import {names}"))
    assert done.code == 0, done.err


def test_it_backs_up_a_store(full: Image) -> None:
    script = (
        "cd /tmp && gate store upgrade && gate store backup a.db && GATE_DATABASE_URL=sqlite:///a.db gate store info"
    )
    done = full.run(("sh", "-c", script))
    assert done.code == 0, done.err
    assert "runs: 0" in done.out
