"""The connection to a collector: one that answers without end, or sends elsewhere, is not followed."""

import io
from typing import Any

import requests

LONGEST = 64 * 1024
"""Bytes of an answer; the SDK reads a few words of it, and of one without end all that memory holds."""


class Session(requests.Session):
    """Requests as the SDK sends them, with answers of bounded size.

    A redirect is no success: spans, with the headers that belong to them, go to the address that was set or nowhere.
    """

    def request(self, method: str, url: str | bytes, *args: Any, **options: Any) -> requests.Response:
        """See `requests.Session`."""
        answer = super().request(method, url, *args, **{**options, "allow_redirects": False, "stream": True})
        start = answer.raw.read(LONGEST, decode_content=False)
        answer.close()
        answer.raw = io.BytesIO(start)
        if answer.is_redirect or 300 <= answer.status_code < 400:
            # To the SDK anything below 400 is a success.
            answer.reason, answer.status_code = f"redirect {answer.status_code}", 421
        return answer
