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
from typing import Any

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
    started = [sys.executable, "-c", code]
    return subprocess.Popen(started, start_new_session=session, stdin=nothing, stdout=nothing, stderr=nothing).pid


def do(deed: str, extra: Any) -> Json:
    """The result of a call."""
    if deed in ("exit", "shout"):
        token = os.environ.get("PROPERTY_TOKEN", "")
        lines = "".join(f"line {number} {'x' * 100}\n" for number in range(2000)) if deed == "shout" else ""
        sys.stderr.write(f"{lines}opening \x1b[31mthe\x1b[0m database as {token}\nno such file\n")
        sys.stderr.flush()
        os._exit(4)
    if deed == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if deed == "kill keeper":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)
    if deed == "close":
        os.close(1)
        time.sleep(600)
    if deed == "hang":
        time.sleep(600)
    if deed == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return text(str(os.getpid()))
    if deed == "child":
        return text(str(spawn(SLEEP, session=False)))
    if deed == "stray":
        return text(str(spawn(STUBBORN, session=True)))
    if deed == "daemon":
        spawn(FORKING, session=True)
        return text("started")
    if deed == "raise":
        raise LookupError(str(extra))
    if deed == "give":
        return dict(extra)
    return text(json.dumps([deed, extra]))


DEEDS = "exit shout kill close hang deaf child stray daemon raise give, or anything else: it comes back"


def text(said: str) -> Json:
    return {"content": [{"type": "text", "text": said}]}


def listed(kind: str, params: Json) -> Json:
    """One page of tools."""
    page = int(params.get("cursor") or 0)
    match kind:
        case "bare":
            return {"tools": []}
        case "paged":
            rest = {"nextCursor": str(page + 1)} if page < 2 else {}
            return {"tools": [tool(f"page{page}")], **rest}
        case "spiral":
            return {"tools": [tool(f"page{page}")], "nextCursor": str(page + 1)}
        case "many":
            return {"tools": [tool(f"tool{number}") for number in range(201)]}
        case "wide":
            return {"tools": [tool("wide", {"type": "object", "description": "x" * 70_000})]}
        case "listless":
            return {"tools": [tool("listless", {"type": "array"})]}
        case "nan":
            return {"tools": [tool("nan", {"type": "object", "default": float("nan")})]}
        case "dotted":
            return {"tools": [tool("flats.list/all", DO), tool("x" * 70)]}
        case "twins":
            return {"tools": [tool("one"), tool("one")]}
        case "garbled":
            return {"tools": "none"}
        case "stern":
            wanted = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
            return {"tools": [tool("say", DO, outputSchema=wanted)]}
        case "leaky":
            token = os.environ["PROPERTY_TOKEN"]
            schema = {"type": "object", "properties": {"key": {"type": "string", "default": token}}}
            return {"tools": [{"name": "say", "description": f"Uses {token}.", "inputSchema": schema}]}
    return {"tools": [tool("say", DO)]}


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
