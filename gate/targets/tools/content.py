"""What a tool of an MCP server gave, as text."""

import json
from typing import Any

import mcp_types as types

from gate.targets.tools.port import Given

NOTHING = "(nothing)"


def given(result: types.CallToolResult) -> Given:
    """Texts one after the other, with words for what is none; structured content where no text says the same."""
    parts = [_said(part) for part in result.content]
    if result.structured_content is not None and not _told(result):
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return Given("\n".join(parts) or NOTHING, result.is_error)


def _said(part: types.ContentBlock) -> str:
    match part:
        case types.TextContent():
            return part.text
        case types.ImageContent() | types.AudioContent():
            return f"[{part.type} {part.mime_type}, {_size(part.data)}]"
        case types.ResourceLink():
            return f"[resource {part.uri}]"
    inner = part.resource
    if isinstance(inner, types.TextResourceContents):
        return f"[resource {inner.uri}]\n{inner.text}"
    return f"[resource {inner.uri}, {_size(inner.blob)}]"


def _size(data: str) -> str:
    """Bytes of what is written in base64."""
    return f"{len(data) * 3 // 4:,} bytes"


def _told(result: types.CallToolResult) -> bool:
    """Do the texts say what the structured content says? Servers say both for the sake of older clients."""
    texts = [part.text for part in result.content if isinstance(part, types.TextContent)]
    values = [_value(text) for text in texts]
    structured = result.structured_content
    # Where a tool gives no object, the `mcp` package wraps it, and a list becomes a text for each item.
    inner = structured["result"] if isinstance(structured, dict) and structured.keys() == {"result"} else structured
    said: list[Any] = [values, texts, *values, *texts, "\n".join(texts)]
    return structured in said or inner in said


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
