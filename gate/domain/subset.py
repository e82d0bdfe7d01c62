"""Is one JSON value a part of another?"""

from gate.domain.jsonvalue import JsonValue


def is_subset(part: JsonValue, whole: JsonValue) -> bool:
    """Does a value say nothing that another one does not say?

    An object is a part of every object that has its entries, those again compared so; lists are equal in length, item
    by item; numbers are compared by value, so that 1 is 1.0, and true is no number.

    Args:
        part: what is looked for.
        whole: where.
    """
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and is_subset(part[key], whole[key]) for key in part)
    if isinstance(part, list):
        same = isinstance(whole, list) and len(part) == len(whole)
        return same and all(map(is_subset, part, whole if isinstance(whole, list) else ()))
    if isinstance(part, bool) or isinstance(whole, bool):
        return part is whole
    return part == whole
