"""One repository on GitHub, through PyGithub: bounded retries, bounded waits, and one kind of error."""

import logging
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar, cast

import requests
from github import Auth, Github, GithubException, RateLimitExceededException
from github.GithubException import BadAttributeException
from github.GithubRetry import GithubRetry
from github.PullRequest import PullRequest
from github.Repository import Repository
from urllib3 import Retry
from urllib3.exceptions import MaxRetryError, ResponseError

from gate.config.documents import printable
from gate.errors import CannotEvaluate

# They print a remark on every refusal and every new attempt; one refusal is expected in every workflow.
for _name in ("github", "urllib3"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

Value = TypeVar("Value")

TIMEOUT_S = 15
PATIENCE_S = 300.0
"""Seconds that all requests together may wait, where the job sets no limit."""
SECONDARY_WAIT_S = 60
"""The wait that GitHub documents for a secondary rate limit without a time."""

MOST_ITEMS = 20_000
"""Comments or events of one pull request; a longer list is an error."""

_PAUSES_S = (2.0, 10.0, 30.0)
"""Seconds before each new attempt, where GitHub names no time."""

_RETRIED = frozenset({"GET", "PATCH", "DELETE"})
"""A POST whose response was lost may have been executed; the caller checks before posting again."""

_MALFORMED = (
    BadAttributeException,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Errors of PyGithub on a malformed answer."""

_EXPIRED = "check that the token is still valid, or pass github-token: ${{ github.token }}"
_UNKNOWN_ISSUER = frozenset({18, 19, 20, 21})
"""OpenSSL's codes for a certificate that nobody trusted has signed; others are expired or of another host."""
_MAY_NOT = "resource not accessible by"
"""How GitHub begins its refusal where the token lacks a permission; it has other words for locks and rules."""


@dataclass(slots=True)
class Patience:
    """How long requests may still wait, in all.

    Args:
        wait: sleeps for seconds, and may say so.
    """

    left_s: float = PATIENCE_S
    wait: Callable[[float], None] = time.sleep

    def pause(self, seconds: float) -> bool:
        """Wait, if there is time for it."""
        if seconds > self.left_s:
            return False
        self.left_s -= seconds
        if seconds > 0:
            self.wait(seconds)
        return True


class ApiError(CannotEvaluate):
    """A request to GitHub failed or was refused.

    Args:
        status: HTTP status; 0 without a response.
        said: GitHub's message, or the kind of failure.
        needs: the permission that the job needs, such as `contents: read`.
        retry_after: seconds; None if GitHub gives none.

    Attributes:
        lasting: no other attempt will succeed.
        limited: too many requests; another attempt may succeed later.
        forbidden: the token lacks a permission.
    """

    def __init__(self, what: str, status: int, said: str, needs: str = "", retry_after: int | None = None) -> None:
        answer = f"GitHub answered {status}" if status else "GitHub did not respond"
        # GitHub answers 404 where a token may not even know that something is there.
        self.forbidden = status == 404 or (status == 403 and said.lower().startswith(_MAY_NOT))
        permission = f"the token needs the permission {needs} for this repository" if needs else ""
        hint = _EXPIRED if status == 401 else permission if self.forbidden else ""
        super().__init__(f"cannot {what}: {answer}{f' ({said})' if said else ''}", hint)
        self.status, self.retry_after, self.limited = status, retry_after, False
        self.lasting = 400 <= status < 500 and status != 429

    def pause_s(self, usual: float) -> float | None:
        """Seconds until another attempt may succeed; None where it will not.

        Args:
            usual: where GitHub names no time.
        """
        if self.retry_after is not None:
            return self.retry_after
        if self.limited:
            return SECONDARY_WAIT_S
        return None if self.lasting else usual


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
        refused = ApiError(what, error.status, _message(error.data), needs, _seconds_asked(error.headers or {}))
        refused.limited = isinstance(error, RateLimitExceededException)
        raise refused from None
    except requests.RequestException as error:
        said = _certificate_fault(error)
        refused = ApiError(what, 0, said or type(error).__name__)
        refused.lasting = bool(said)
        raise refused from None
    except OSError as error:
        # A file of certificates that is missing.
        refused = ApiError(what, 0, printable(str(error)[:200]))
        refused.lasting = True
        raise refused from None
    except _MALFORMED as error:
        # PyGithub takes it for granted that an answer has the form that GitHub documents; a proxy's page has not.
        raise ApiError(what, 0, f"its response cannot be read: {type(error).__name__}") from None


def _seconds_asked(headers: Mapping[str, str]) -> int | None:
    """The wait that a refusal asks for; None where it does not say."""
    asked = headers.get("retry-after", "")
    if headers.get("x-ratelimit-remaining") == "0" and not asked:
        reset = headers.get("x-ratelimit-reset", "")
        return max(1, int(reset) - int(time.time())) if _is_number(reset) else None
    return int(asked) if _is_number(asked) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 12


def _certificate_fault(error: BaseException) -> str:
    """What is wrong with a certificate; empty where a connection failed for another reason."""
    causes: list[BaseException] = [error]
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            remedy = "; set SSL_CERT_FILE to that of its issuer" if cause.verify_code in _UNKNOWN_ISSUER else ""
            return f"its certificate is not trusted: {cause.verify_message}{remedy}"
        if isinstance(cause, ssl.SSLError) and cause.library == "X509":
            return "the file of SSL_CERT_FILE or REQUESTS_CA_BUNDLE has no certificates"
        inner = (cause.__cause__, cause.__context__, getattr(cause, "reason", None), *cause.args)
        causes += [one for one in inner if isinstance(one, BaseException) and one not in causes]
    return ""


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


class _PatientRetry(GithubRetry):
    """Waits as long as there is patience, and gives up if a response asks for more."""

    def __init__(self, patience: Patience, **kwargs: Any) -> None:
        self.patience = patience
        super().__init__(secondary_rate_wait=SECONDARY_WAIT_S, max_rate_limit_wait=patience.left_s, **kwargs)

    def new(self, **kw: Any) -> Self:
        return cast("Self", Retry.new(self, patience=self.patience, **kw))

    def increment(self, *args: Any, **kwargs: Any) -> Self:
        response = kwargs.get("response")
        pool: Any = kwargs.get("_pool")
        fault = kwargs.get("error")
        if fault is not None and _certificate_fault(fault):
            raise MaxRetryError(pool, kwargs.get("url"), fault)
        wait = (self.get_retry_after(response) or 0) if response is not None else 0
        if wait > self.patience.left_s:
            said = f"asked to wait {wait:.0f} s, and this job waits no longer than {self.patience.left_s:.0f} s more"
            raise MaxRetryError(pool, kwargs.get("url"), ResponseError(said))
        return cast("Self", super().increment(*args, **kwargs))

    def sleep(self, response: Any = None) -> None:
        asked = self.get_retry_after(response) if response is not None else None
        self.patience.pause(asked or self.get_backoff_time())


class GitHub:
    """The API of one repository.

    Args:
        token: None for anonymous access, enough to read a public repository.
        api_url: `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise server.
        repository: `owner/name`.
        patience: how long all requests together may wait.
    """

    def __init__(self, token: str | None, api_url: str, repository: str, patience: Patience | None = None) -> None:
        self.has_token, self.name, self.patience = token is not None, repository, patience or Patience()
        self._client = Github(
            auth=Auth.Token(token) if token else None,
            base_url=api_url.rstrip("/"),
            timeout=TIMEOUT_S,
            per_page=100,
            user_agent="prompt-gate",
            retry=_PatientRetry(
                self.patience,
                total=3,
                backoff_factor=0.5,
                raise_on_status=False,
                status_forcelist=[429, *range(500, 600)],
                allowed_methods=_RETRIED,
            ),
            seconds_between_requests=0,
            seconds_between_writes=0,
            lazy=True,
        )
        self.repository: Repository = self._client.get_repo(repository)

    def persist(self, attempt: Callable[[], Value]) -> Value:
        """The result of an attempt, made again after a pause as long as that may help.

        Args:
            attempt: looks first for what an earlier one has written: its response may have been lost.

        Raises:
            ApiError: that of the last attempt.
        """
        for usual in _PAUSES_S:
            try:
                return attempt()
            except ApiError as error:
                seconds = error.pause_s(usual)
                if seconds is None or not self.patience.pause(seconds):
                    raise
        return attempt()

    def write(self, method: str, url: str, body: dict[str, Any] | None = None) -> Any:
        """Send something; the JSON value of the answer.

        Where the repository was renamed, GitHub names the new place, and PyGithub follows only for reading.
        """
        requester = self.repository.requester
        data = requester.requestJsonAndCheck(method, url, input=body)[1]
        moved = data.get("url") if isinstance(data, dict) and data.get("message") == "Moved Permanently" else None
        if isinstance(moved, str) and moved.startswith(f"{requester.base_url}/"):
            data = requester.requestJsonAndCheck(method, moved.removeprefix(requester.base_url), input=body)[1]
        return data

    def pull(self, number: int) -> PullRequest:
        """The pull request, loaded only when a field of it is needed."""
        with asking(f"read pull request {number}"):
            return self.repository.get_pull(number)

    def app_login(self) -> str:
        """Login under which an app's token writes; empty where GitHub does not say."""
        try:
            with asking("find out which app's token this is", needs=""):
                data = self.repository.requester.graphql_query("query { viewer { login } }", {})[1]
                login = required(data["data"]["viewer"]["login"], str)
        except ApiError:
            return ""
        return login if login.endswith("[bot]") else f"{login}[bot]"

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
