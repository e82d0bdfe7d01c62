"""One repository on GitHub, through PyGithub: bounded retries, bounded waits, and one kind of error."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar, cast

import requests
from github import Auth, Github, GithubException, RateLimitExceededException
from github.GithubException import BadAttributeException
from github.GithubRetry import GithubRetry
from github.PullRequest import PullRequest
from github.Repository import Repository
from urllib3.exceptions import MaxRetryError, ResponseError

from gate.config.documents import printable
from gate.errors import CannotEvaluate

# They print a remark on every refusal and every new attempt; one refusal is expected in every workflow.
for _name in ("github", "urllib3"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

Value = TypeVar("Value")

TIMEOUT_S = 15
LONGEST_WAIT_S = 30
"""Seconds to wait for a rate limit; a longer one ends as an error."""
SECONDARY_WAIT_S = 60
"""The wait that GitHub documents for a secondary rate limit without a time; longer than we wait."""

MOST_ITEMS = 20_000
"""Comments or events of one pull request; a longer list is an error."""

_RETRIED = frozenset({"GET", "PATCH", "DELETE"})
"""A POST whose response was lost may have been executed; the caller checks before posting again."""

_MALFORMED = (
    BadAttributeException,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Errors of PyGithub on a malformed answer."""

_EXPIRED = "check that the token is still valid, or pass github-token: ${{ github.token }}"


class ApiError(CannotEvaluate):
    """A request to GitHub failed or was refused.

    Args:
        status: HTTP status; 0 without a response.
        said: GitHub's message, or the kind of failure.
        needs: the permission that the job needs, such as `contents: read`.
        retry_after: seconds; None if GitHub gives none.

    Attributes:
        limited: too many requests; another attempt may succeed later.
    """

    def __init__(self, what: str, status: int, said: str, needs: str = "", retry_after: int | None = None) -> None:
        answer = f"GitHub answered {status}" if status else "GitHub did not respond"
        # GitHub answers 404 where a token may not even know that something is there.
        refused = f"the token needs the permission {needs} for this repository" if needs else ""
        hint = {401: _EXPIRED, 403: refused, 404: refused}.get(status, "")
        super().__init__(f"cannot {what}: {answer}{f' ({said})' if said else ''}", hint)
        self.status, self.retry_after, self.limited = status, retry_after, False


@contextmanager
def asking(what: str, needs: str = "pull-requests: read") -> Iterator[None]:
    """Turn every failure of a request into `ApiError`.

    Args:
        what: the action, such as `read the labels`.
        needs: the permission that the job needs; empty for none.
    """
    try:
        yield
    except GithubException as error:
        asked = str((error.headers or {}).get("retry-after", ""))
        after = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 9 else None
        refused = ApiError(what, error.status, _message(error.data), needs, after)
        refused.limited = isinstance(error, RateLimitExceededException)
        raise refused from None
    except requests.RequestException as error:
        raise ApiError(what, 0, type(error).__name__) from None
    except _MALFORMED as error:
        # PyGithub takes it for granted that an answer has the form that GitHub documents; a proxy's page has not.
        raise ApiError(what, 0, f"its response cannot be read: {type(error).__name__}") from None


def _message(data: Any) -> str:
    said = data.get("message") if isinstance(data, dict) else None
    return printable(said[:200]) if isinstance(said, str) else ""


def required(value: object, kind: type[Value]) -> Value:
    """Check the type of a value in a response.

    Raises:
        ValueError: it is something else; `asking` turns that into `ApiError`.
    """
    if not isinstance(value, kind):
        raise ValueError(f"{kind.__name__} expected")
    return value


def bounded(items: Iterable[Value]) -> Iterator[Value]:
    """The items of all pages, up to a limit.

    Raises:
        ValueError: there are more than `MOST_ITEMS`; `asking` turns that into `ApiError`.
    """
    for count, item in enumerate(items):
        if count >= MOST_ITEMS:
            raise ValueError("too many")
        yield item


class _ImpatientRetry(GithubRetry):
    """Gives up if the response asks for a longer wait than `LONGEST_WAIT_S`."""

    def increment(self, *args: Any, **kwargs: Any) -> Self:
        response = kwargs.get("response")
        pool: Any = kwargs.get("_pool")
        wait = (self.get_retry_after(response) or 0) if response is not None else 0
        if wait > LONGEST_WAIT_S:
            raise MaxRetryError(pool, kwargs.get("url"), ResponseError(f"asked to wait longer than {LONGEST_WAIT_S} s"))
        return cast("Self", super().increment(*args, **kwargs))


class GitHub:
    """The API of one repository.

    Args:
        token: None for anonymous access, enough to read a public repository.
        api_url: `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise server.
        repository: `owner/name`.
    """

    def __init__(self, token: str | None, api_url: str, repository: str) -> None:
        self.has_token, self.name = token is not None, repository
        self._client = Github(
            auth=Auth.Token(token) if token else None,
            base_url=api_url.rstrip("/"),
            timeout=TIMEOUT_S,
            per_page=100,
            user_agent="prompt-gate",
            retry=_ImpatientRetry(
                total=3,
                backoff_factor=0.5,
                backoff_max=LONGEST_WAIT_S,
                raise_on_status=False,
                max_rate_limit_wait=LONGEST_WAIT_S,
                secondary_rate_wait=SECONDARY_WAIT_S,
                status_forcelist=[429, *range(500, 600)],
                allowed_methods=_RETRIED,
            ),
            seconds_between_requests=0,
            seconds_between_writes=0,
            lazy=True,
        )
        self.repository: Repository = self._client.get_repo(repository)

    def pull(self, number: int) -> PullRequest:
        """The pull request, loaded only when a field of it is needed."""
        with asking(f"read pull request {number}"):
            return self.repository.get_pull(number)

    def login(self) -> str | None:
        """Login of the token's owner; None for the token of a workflow or another app, which may not read it.

        Raises:
            ApiError: any other failure.
        """
        try:
            with asking("find out whose token this is", needs=""):
                return required(self._client.get_user().login, str)
        except ApiError as error:
            if error.status in (403, 404) and not error.limited:
                return None
            raise
