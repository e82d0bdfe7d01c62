"""What a prompt file of another tool says about the model, which the gate leaves to `gate.yaml`."""

import json
from collections.abc import Iterable, Mapping

from gate.inputs.nodes import Node, plain


def own_settings(entries: Mapping[str, Node], keys: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The settings that the file has, each as its key and its value in JSON.

    Args:
        entries: the file, or its front matter.
        keys: those that other tools send with the prompt.
    """
    return tuple(
        (key, json.dumps(plain(entries[key]), sort_keys=True, ensure_ascii=False)) for key in keys if key in entries
    )
