"""MCP servers over stdio that do not do as they should, without the `mcp` package; run by its path: `odd.py KIND`.

fine            one tool, `say`, which does what its argument `do` says (see `DEEDS`)
early           ends before it has said anything, with exit code 7
mute            never answers
chatty          prints a greeting first, as one that takes standard output for a terminal
babbling        prints without end
endless         one line without end
bare            lists no tools
toolless        does not know what tools are
paged           three tools on three pages
spiral          pages without end
many            more tools than anybody wants
wide            a tool whose schema is enormous
mixed           a good tool among bad ones
listless        a tool whose schema is no object's
nan             a tool whose schema holds what JSON has no word for
dotted          names that no provider takes
twins           two tools with one name
garbled         the list of tools is something else
stern           what it gives does not match the schema of its results
leaky           puts the value of PROPERTY_TOKEN into descriptions and schemas
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

Json = dict[str, Any]
ANY: Json = {"type": "object", "properties": {}}
DO: Json = {"type": "object", "properties": {"do": {"type": "string"}, "with": {}}, "required": ["do"]}

SLEEP = "import time; time.sleep(600)"
STUBBORN = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(600)"
FORKING = f"import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        {SLEEP}\n    os._exit(0)"


def tool(name: str, schema: Json = ANY, **more: Any) -> Json:
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema, **more}


def spawn(code: str, *, session: bool) -> int:
    nothing = subprocess.DEVNULL
    started = [sys.executable, "-S", "-c", code]
    return subprocess.Popen(started, start_new_session=session, stdin=nothing, stdout=nothing, stderr=nothing).pid


def leave(shout: bool) -> NoReturn:
    """End, with words on standard error."""
    token = os.environ.get("PROPERTY_TOKEN", "")
    lines = "".join(f"line {number} {'x' * 100}\n" for number in range(2000)) if shout else ""
    sys.stderr.write(f"{lines}opening \x1b[31mthe\x1b[0m database as {token}\nno such file\n")
    sys.stderr.flush()
    os._exit(4)


def kill(pid: int) -> NoReturn:
    """End somebody, and wait for what comes of it."""
    os.kill(pid, signal.SIGKILL)
    sleep()


def sleep() -> NoReturn:
    time.sleep(600)
    raise SystemExit


def close() -> NoReturn:
    """Say nothing any more."""
    os.close(1)
    sleep()


def deaf() -> str:
    """Take no notice of signals from now on."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return "deaf"


DEEDS: dict[str, Callable[[], object]] = {
    "exit": partial(leave, False),
    "shout": partial(leave, True),
    "kill": lambda: kill(os.getpid()),
    "kill keeper": lambda: kill(os.getppid()),
    "close": close,
    "hang": sleep,
    "deaf": deaf,
    "child": lambda: spawn(SLEEP, session=False),
    "stray": lambda: spawn(STUBBORN, session=True),
    "daemon": lambda: spawn(FORKING, session=True),
}


def do(deed: str, extra: Any) -> Json:
    """The result of a call; what is no deed comes back."""
    if deed == "raise":
        raise LookupError(str(extra))
    if deed == "give":
        return dict(extra)
    return text(str(DEEDS[deed]()) if deed in DEEDS else json.dumps([deed, extra]))


def text(said: str) -> Json:
    return {"content": [{"type": "text", "text": said}]}


def leaky() -> Json:
    """A tool that tells of a secret."""
    token = os.environ["PROPERTY_TOKEN"]
    schema = {"type": "object", "properties": {"key": {"type": "string", "default": token}}}
    return {"name": "say", "description": f"Uses {token}.", "inputSchema": schema}


def listed(kind: str, params: Json) -> Json:
    """One page of tools."""
    page = int(params.get("cursor") or 0)
    if kind in ("paged", "spiral"):
        rest = {"nextCursor": str(page + 1)} if page < 2 or kind == "spiral" else {}
        return {"tools": [tool(f"page{page}")], **rest}
    return {"tools": TOOLS[kind]() if kind in TOOLS else [tool("say", DO)]}


WANTED: Json = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TOOLS: dict[str, Callable[[], object]] = {
    "bare": list,
    "many": lambda: [tool(f"tool{number}") for number in range(201)],
    "wide": lambda: [tool("wide", {"type": "object", "description": "x" * 70_000})],
    "listless": lambda: [tool("listless", {"type": "array"})],
    "mixed": lambda: [
        tool("listless", {"type": "array"}),
        tool("say", DO),
        {"name": "loose"},
        tool("wide", {"type": "object", "description": "x" * 70_000}),
    ],
    "nan": lambda: [tool("nan", {"type": "object", "default": float("nan")})],
    "dotted": lambda: [tool("flats.list/all", DO), tool("x" * 70)],
    "twins": lambda: [tool("one"), tool("one")],
    "garbled": lambda: "none",
    "stern": lambda: [tool("say", DO, outputSchema=WANTED)],
    "leaky": lambda: [leaky()],
}


def answer(kind: str, method: str, params: Json) -> Json:
    """The rest of a message that answers one."""
    if method == "initialize":
        can: Json = {} if kind == "toolless" else {"tools": {}}
        info = {"name": kind, "version": "1"}
        return {"result": {"protocolVersion": params["protocolVersion"], "capabilities": can, "serverInfo": info}}
    if method == "tools/list" and kind != "toolless":
        return {"result": listed(kind, params)}
    if method == "tools/call":
        given = params.get("arguments", {})
        try:
            return {"result": do(given.get("do", ""), given.get("with"))}
        except LookupError as error:
            return {"error": {"code": -32000, "message": f"LookupError: {error}"}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def main(kind: str) -> None:
    if kind == "early":
        print("no configuration", file=sys.stderr)
        sys.exit(7)
    if kind == "chatty":
        print("Welcome to \x1b[1mchatty\x1b[0m!", flush=True)
    while kind == "babbling":
        print("still here", flush=True)
    while kind == "endless":
        sys.stdout.write("x" * (1 << 20))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and kind != "mute":
            said = {"jsonrpc": "2.0", "id": message["id"], **answer(kind, message["method"], message.get("params", {}))}
            print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
