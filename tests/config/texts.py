"""A configuration to vary, and errors as users see them."""

from collections.abc import Callable

from gate.errors import InputErrors

GOOD = """\
version: 1
policy: {confidence: 0.95, fail_on: block, method: maxt}
budget: {max_calls: 5000, max_usd: 5, max_minutes: 20, max_output_tokens: 2048}
defaults:
  model: anthropic:claude-sonnet-5-5
  samples: 3
  params: {max_output_tokens: 512, temperature: 0}
suites:
  - name: support
    prompt: prompts/support.md
    cases: evals/support/cases.jsonl
    slices: [tier, lang, length]
    scorers:
      - contains: {value: "{{ expected }}", weight: 2}
      - judge: {model: openai:gpt-5, criteria: "Answers only what was asked", threshold: 0.8}
    policy:
      max_cost_increase: 0.15
      max_latency_increase: 0.25
      required: [tier=enterprise]
      advisory: [lang=de]
  - name: triage
    prompt: prompts/*.j2
    cases: evals/triage.jsonl
    model: local:models/small.gguf
    samples: 1
    params: {temperature: null, stop: ["\\n"]}
    scorers: [exact, exact]
    template: jinja2
"""


def errors(job: Callable[[], object]) -> str:
    """What the user reads; fails when there is nothing to read."""
    try:
        job()
    except InputErrors as error:
        return str(error)
    raise AssertionError("no error was raised")
