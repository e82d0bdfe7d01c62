"""Reduces GitHub's REST API description to the operations of the test server, and fixes three places.

npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
python -m tests.support.github_reduce package/generated/api.github.com.json
"""

import copy
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.github_routes import ROUTES
from tests.support.openapi import DESCRIPTION

PROSE = frozenset({"description", "summary", "example", "examples", "externalDocs", "tags", "x-github"})


def main(source: Path) -> None:
    """Write the reduced description to its place among the test data."""
    reduced = json.dumps(reduce(json.loads(source.read_text("utf-8"))), separators=(",", ":"), sort_keys=True)
    DESCRIPTION.write_bytes(gzip.compress(reduced.encode(), mtime=0))
    print(f"{DESCRIPTION}: {len(reduced):,} bytes, {DESCRIPTION.stat().st_size:,} compressed")


def reduce(full: dict[str, Any]) -> dict[str, Any]:
    """The description with the served operations, what they refer to, and no prose."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        operation = full["paths"][route.template][route.method.lower()]
        kept = {key: operation[key] for key in ("requestBody", "responses") if key in operation}
        paths.setdefault(route.template, {})[route.method.lower()] = _without_prose(kept)
    labels = paths["/repos/{owner}/{repo}/issues/{issue_number}/labels"]["post"]["requestBody"]
    # The API takes a bare array of names, as its own prose says and its schema forgets.
    labels["content"]["application/json"]["schema"]["oneOf"].append({"type": "array", "items": {"type": "string"}})
    components = {kind: dict(parts) for kind, parts in full["components"].items()}
    components["schemas"]["pull-request"] = _with_deleted_fork(components["schemas"]["pull-request"])
    components["schemas"]["pull-request-simple"] = _with_plain_labels(components["schemas"]["pull-request-simple"])
    reduced = {"openapi": full["openapi"], "info": full["info"], "paths": paths, "components": {}}
    pending = set(_references(paths))
    seen: set[str] = set()
    while pending - seen:
        reference = min(pending - seen)
        seen.add(reference)
        _, _, kind, name = reference.split("/")
        part = _without_prose(components[kind][name])
        reduced["components"].setdefault(kind, {})[name] = part
        pending |= set(_references(part))
    return reduced


def _with_deleted_fork(pull: Any) -> Any:
    """The schema of a pull request whose head may have no repository, as is so once the fork is deleted."""
    pull = copy.deepcopy(pull)
    pull["properties"]["head"]["properties"]["repo"]["nullable"] = True
    return pull


def _with_plain_labels(pull: Any) -> Any:
    """The schema of a pull request in a list, whose labels may have no description, as they have in all others."""
    pull = copy.deepcopy(pull)
    pull["properties"]["labels"]["items"]["properties"]["description"]["nullable"] = True
    return pull


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _without_prose(node: Any, names: bool = False) -> Any:
    """A copy without texts for readers; `names` says that the keys are names of fields, which may be called so too."""
    if isinstance(node, list):
        return [_without_prose(value) for value in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if names or key not in PROSE}
    return {key: _without_prose(value, key == "properties" and not names) for key, value in kept.items()}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
