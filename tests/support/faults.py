"""Faulty responses of a service."""

import asyncio

from aiohttp import web

FAULTS = ("429", "500", "529", "drop", "truncated", "not-json", "html", "hang")


async def faulty(fault: str, request: web.Request, retry_after: str) -> web.StreamResponse:
    """Meet a request with a fault.

    Args:
        fault: one of `FAULTS`, a number being the status of an error in JSON; `alone`, of a judge; or
            `refused`, by a content filter.
        retry_after: the header that comes with a 429 or 529.
    """
    if fault == "drop":
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=500)
    if fault == "hang":
        await asyncio.sleep(3600)
    if fault == "truncated":
        return web.Response(body=b'{"id": "x", "choices": [{"mess', content_type="application/json")
    if fault == "not-json":
        return web.Response(body=b"<html>Bad gateway</html>", content_type="text/html")
    if fault == "html":
        page = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"
        return web.Response(status=502, body=page, content_type="text/html")
    if fault == "alone":
        return web.json_response({"error": {"message": "no other judge asked at the same time"}}, status=400)
    if fault == "refused":
        return web.json_response({"error": {"code": "content_filter", "message": "held back"}}, status=400)
    headers = {"retry-after": retry_after} if fault in ("429", "529") else {}
    error = {"type": "error", "error": {"type": f"fault_{fault}", "message": f"made up: {fault}", "code": None}}
    return web.json_response(error, status=int(fault), headers=headers)
