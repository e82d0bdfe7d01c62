"""Graders of answers."""

from words import long_enough


def get_assert(output, context):
    enough = long_enough(output, context["config"]["least"])
    topic = context["test"]["vars"]["topic"]
    return {"pass": enough, "score": 1.0 if enough else 0.2, "reason": f"{topic}: {sorted(context['vars'])}"}


def short(output, context):
    return len(output) < 500
