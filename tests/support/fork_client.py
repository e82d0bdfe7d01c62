"""Runs a script in a fork instead of a new Python process, and exits with the fork's exit code.

    python -IS fork_client.py SOCKET SCRIPT ARGUMENT…

The fork uses this process's streams and ends with it. This file is run by its path, because an import would be slow.
"""

import json
import os
import socket
import sys


def main(path: str, *arguments: str) -> None:
    request = {"module": None, "arguments": arguments, "cwd": os.getcwd(), "env": dict(os.environ), "file_bytes": None}
    body = json.dumps(request).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        # A header of eight bytes, as the server has it.
        socket.send_fds(line, [len(body).to_bytes(8, "big")], [0, 1, 2])
        line.sendall(body)
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        with line.makefile("r") as replies:
            replies.readline()
            os._exit(os.waitstatus_to_exitcode(int(replies.readline())) & 255)


main(*sys.argv[1:])
