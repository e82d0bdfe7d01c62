"""What targets and judges need of the calls layer."""

from typing import Protocol

from gate.domain.absence import Failed
from gate.domain.sample import Reply
from gate.providers.base import Request


class Calls(Protocol):
    """Sends requests under one policy of retries, limits and budgets."""

    async def call(self, request: Request) -> Reply | Failed:
        """Send one request; a failure after every retry is a value, not an exception."""
        ...
