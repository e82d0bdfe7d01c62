"""A repository whose suite compares the rules of its prompt (`promises`), and the settings of a model server."""

from tests.support.example import FILES, PROMPT, cases

LIMIT = "Answer in at most 80 words."
KIND = "Answer only what was asked."
BEFORE = f"{KIND}\n{LIMIT}\nHelp the customer. quality=1.0\n"
WITHOUT = BEFORE.replace(f"{LIMIT}\n", "")
THANKS = "You must say thanks."
READER = "openai:gpt-4o-mini"
CONFIG = """\
version: 1
defaults: {{model: "fake:oracle", samples: 2}}
suites:
  - name: support
    prompt: prompts/support.md
    cases: evals/support.jsonl
    slices: [tier]
    scorers: [contains]
{promises}"""
PROMISES = f'    promises: {{model: "{READER}"}}\n'


def configured(promises: str = PROMISES) -> str:
    """`gate.yaml` with the entry `promises`, or without it if that is empty."""
    return CONFIG.format(promises=promises)


REPOSITORY = {
    **{path: text for path, text in FILES.items() if "faq" not in path},
    "gate.yaml": configured(),
    PROMPT: BEFORE,
    "evals/support.jsonl": cases(12),
}


def reachable(url: str) -> dict[str, str]:
    """The environment variables for a model server."""
    keys = {"OPENAI_API_KEY": "sk-loopback-openai", "ANTHROPIC_API_KEY": "sk-loopback-anthropic"}
    return {**keys, "OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url}
