"""Batches and their results in the formats of the two interfaces."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

_DAY_S = 24 * 3600


@dataclass
class Batch:
    """One submitted batch.

    Args:
        id, kind, bodies, metadata, created: as submitted; bodies by custom id.
        phase: `running`, or how it ended, in OpenAI's words.
        polls: how often its status was asked for.
        lines: result lines, once it is over, answers first.
        errors: OpenAI's file of errors.
    """

    id: str
    kind: str
    bodies: dict[str, dict[str, Any]]
    metadata: dict[str, str] = field(default_factory=dict)
    created: float = 0.0
    phase: str = "running"
    polls: int = 0
    lines: list[bytes] = field(default_factory=list)
    errors: list[bytes] = field(default_factory=list)


def openai_batch(batch: Batch) -> dict[str, Any]:
    """A batch in OpenAI's format."""
    over = batch.phase != "running"
    problem = {"object": "list", "data": [{"code": "token_limit_exceeded", "message": "too many tokens are waiting"}]}
    return {
        "id": batch.id,
        "object": "batch",
        "endpoint": "/v1/chat/completions",
        "errors": problem if batch.phase == "failed" else None,
        "input_file_id": "file-1",
        "completion_window": "24h",
        "status": batch.phase if over else "in_progress",
        "output_file_id": f"{batch.id}-output" if batch.lines else None,
        "error_file_id": f"{batch.id}-errors" if batch.errors else None,
        "created_at": int(batch.created),
        "completed_at": int(time.time()) if batch.phase == "completed" else None,
        "request_counts": {
            "total": len(batch.bodies),
            "completed": len(batch.lines),
            "failed": len(batch.errors),
        },
        "metadata": batch.metadata,
    }


def anthropic_batch(batch: Batch, kinds: Sequence[str], results_url: str) -> dict[str, Any]:
    """A batch in Anthropic's format.

    Args:
        kinds: how its requests ended; empty where that is not known, which counts as answered once it is over.
        results_url: where its results are, once it is over.
    """
    over = batch.phase != "running"
    counts = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "canceled", "expired")}
    counts["processing"] = 0 if over else len(batch.bodies)
    if over and not kinds:
        counts["succeeded"] = len(batch.bodies)
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": "ended" if over else "in_progress",
        "request_counts": counts,
        "created_at": _iso(batch.created),
        "expires_at": _iso(batch.created + _DAY_S),
        "ended_at": _iso(time.time()) if over else None,
        "archived_at": None,
        "cancel_initiated_at": None,
        "results_url": results_url if over else None,
    }


def openai_line(custom_id: str, wrong: str, reply: Mapping[str, Any]) -> dict[str, Any]:
    """A line of OpenAI's results.

    Args:
        wrong: `errored`, `expired` or `cancelled`; empty where there is an answer.
        reply: the answer.
    """
    row: dict[str, Any] = {"id": f"batch_req_{custom_id[:8]}", "custom_id": custom_id, "response": None, "error": None}
    if wrong == "errored":
        said = {"error": {"message": "content filter", "type": "invalid_request_error", "param": None, "code": None}}
        row["response"] = {"status_code": 400, "request_id": "req_1", "body": said}
    elif wrong:
        row["error"] = {"code": f"batch_{wrong}", "message": f"This request could not be executed: {wrong}."}
    else:
        row["response"] = {"status_code": 200, "request_id": "req_1", "body": reply}
    return row


def anthropic_line(custom_id: str, wrong: str, reply: Mapping[str, Any]) -> dict[str, Any]:
    """A line of Anthropic's results; see `openai_line`."""
    result: dict[str, Any]
    if wrong == "errored":
        said = {"type": "invalid_request_error", "message": "content filter"}
        result = {"type": "errored", "error": {"type": "error", "error": said, "request_id": "req_1"}}
    elif wrong:
        result = {"type": wrong.replace("cancelled", "canceled")}
    else:
        result = {"type": "succeeded", "message": reply}
    return {"custom_id": custom_id, "result": result}


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat().replace("+00:00", "Z")
