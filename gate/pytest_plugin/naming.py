"""Names of suites and cases as parts of a node id, from which pytest finds them again."""

_ESCAPES = ("%25", "%3A", "%5B")


def node_name(name: str, *, last: bool) -> str:
    """A name that stays in one piece when pytest takes a node id apart; no two names become one.

    A node id is cut at `::`, and what follows the first `[` belongs to its last part.

    Args:
        name: of a suite or a case.
        last: it is the last part.
    """
    breaks = "::" in name or name.startswith(":") or name.endswith(":") or ("[" in name and not last)
    if not breaks and not any(escape in name for escape in _ESCAPES):
        return name
    name = name.replace("%", "%25").replace(":", "%3A")
    return name if last else name.replace("[", "%5B")
