"""Prompts that code builds."""

from helper import lead


def brief(context):
    return f"{lead()} one line about {context['vars']['topic']}."


def talk(context):
    topic = context["vars"]["topic"]
    return [{"role": "system", "content": "You are brief."}, {"role": "user", "content": f"About {topic}"}]
