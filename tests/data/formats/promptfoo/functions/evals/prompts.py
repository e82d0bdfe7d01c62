"""Prompts that code builds."""


def brief(context):
    return f"Write one line about {context['vars']['topic']}."


def talk(context):
    topic = context["vars"]["topic"]
    return [{"role": "system", "content": "You are brief."}, {"role": "user", "content": f"About {topic}"}]
