"""The check run in addition to the job: in progress from the start, with a conclusion and annotations at the end."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gate.github.client import ApiError, GitHub, asking, required

NAME = "prompt-gate"
DEFAULT_KEY = "gate.yaml"
LONGEST_SUMMARY = 65_535
"""UTF-16 units."""
LONGEST_MESSAGE = 64 * 1024
"""Bytes of one annotation's message."""
BATCH = 50
"""Annotations that GitHub takes in one request."""

Conclusion = Literal["success", "failure", "neutral", "skipped", "cancelled"]
Level = Literal["notice", "warning", "failure"]


@dataclass(frozen=True, slots=True)
class Remark:
    """An annotation on lines of a file of the head.

    Args:
        first, last: 1-based lines.
    """

    path: str
    first: int
    last: int
    level: Level
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a check run.

    Args:
        summary: Markdown; cut with a note where it is too long.
    """

    conclusion: Conclusion
    title: str
    summary: str
    remarks: Sequence[Remark] = ()


@dataclass(frozen=True, slots=True)
class FinishedCheck:
    """What came of the conclusion of a check run.

    Args:
        concluded: it no longer blocks the pull request.
        note: what did not work, also with annotations; else empty.
    """

    concluded: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class CheckRuns:
    """Starts and finishes check runs.

    A run killed between `start` and `finish` leaves its check run in progress: the caller finishes it in `finally`, as
    `cancelled` on a signal; after a kill that leaves no time for that, the next run of the same commit takes the check
    run over. A required check must therefore be the job itself, which GitHub always concludes.

    Args:
        key: of the gate, to distinguish several gates.
        about: the subject, such as a pull request's number: two of them may have the same newest commit.
        branch: the branch the change goes into, unless it is the default one; a commit may be good for one and not for
            another, and a check stays on its commit when the base branch changes.
    """

    github: GitHub
    key: str = DEFAULT_KEY
    about: str = ""
    branch: str = ""

    @property
    def name(self) -> str:
        name = NAME if self.key == DEFAULT_KEY else f"{NAME} ({self.key})"
        return f"{name} into {self.branch}" if self.branch else name

    @property
    def _external_id(self) -> str:
        return f"{self.key} {self.about}" if self.about else self.key

    def start(self, head: str, details_url: str) -> int:
        """Show that an evaluation is under way; returns the check run's number.

        Raises:
            ApiError: there is none, such as without `checks: write`.
        """
        # The response to an attempt may have been lost: find its check run instead of making a second one.
        return self.github.persist(lambda: self._open(head) or self._create(head, details_url))

    def finish(self, number: int, outcome: Outcome) -> FinishedCheck:
        """Conclude a check run."""
        rows = [_row(remark) for remark in outcome.remarks]
        output = {"title": _cut(outcome.title, 255), "summary": _cut(outcome.summary, LONGEST_SUMMARY)}
        body = {"status": "completed", "conclusion": outcome.conclusion, "output": output}
        error = self._patch(number, {**body, "output": {**output, "annotations": rows[:BATCH]}} if rows else body)
        if error is not None:
            # Concluded without annotations rather than not at all.
            again = self._patch(number, body) if rows else error
            return FinishedCheck(again is None, (again or error).in_full)
        for start in range(BATCH, len(rows), BATCH):
            error = self._patch(number, {"output": {**output, "annotations": rows[start : start + BATCH]}}) or error
        return FinishedCheck(True, "" if error is None else error.in_full)

    def _open(self, head: str) -> int | None:
        """A check run of this gate, about the same, in progress on the same commit."""
        with asking("read the check runs", "checks: write"):
            repository = self.github.repository
            asked = {"check_name": self.name, "status": "in_progress", "per_page": 100}
            url = f"{repository.url}/commits/{head}/check-runs"
            _, data = repository.requester.requestJsonAndCheck("GET", url, parameters=asked)
            wanted = (self.name, self._external_id, "in_progress")
            rows = data["check_runs"]
            mine = [row for row in rows if (row["name"], row["external_id"], row["status"]) == wanted]
            return required(mine[0]["id"], int) if mine else None

    def _create(self, head: str, details_url: str) -> int:
        more = {"details_url": details_url} if details_url else {}
        body = {"name": self.name, "head_sha": head, "status": "in_progress", "external_id": self._external_id, **more}
        with asking("start the check run", "checks: write"):
            return required(self._request("POST", "", body)["id"], int)

    def _patch(self, number: int, body: dict[str, Any]) -> ApiError | None:
        def attempt() -> None:
            with asking("finish the check run", "checks: write"):
                self._request("PATCH", f"/{number}", body)

        try:
            self.github.persist(attempt)
        except ApiError as error:
            return error
        return None

    def _request(self, method: str, below: str, body: dict[str, Any]) -> Any:
        return self.github.write(method, f"{self.github.repository.url}/check-runs{below}", body)


def _row(remark: Remark) -> dict[str, Any]:
    message = remark.message.encode("utf-8", "replace")[:LONGEST_MESSAGE].decode("utf-8", "ignore")
    return {
        "path": remark.path,
        "start_line": remark.first,
        "end_line": remark.last,
        "annotation_level": remark.level,
        "message": message,
    }


def _cut(text: str, most: int) -> str:
    """At most so many UTF-16 units, with a note where something was cut."""
    if len(text.encode("utf-16-le", "surrogatepass")) // 2 <= most:
        return text
    end = "\n\n…" if most > 1000 else "…"
    room = 2 * (most - len(end))
    return text.encode("utf-16-le", "surrogatepass")[:room].decode("utf-16-le", "ignore") + end
