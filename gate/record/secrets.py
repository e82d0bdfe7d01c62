"""Keys that stand in the text of a report: a model may repeat one that its prompt or a document gave it.

Only what its own prefix gives away is found, in the forms that the services document; a password that looks like a word
is not.
"""

import re

_FORMS = (
    (
        "private key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"[\s\S]*?(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    ("API key", "sk-", r"(?<![A-Za-z0-9])sk-(?=[\w-]{0,200}\d)[\w-]{20,}"),
    ("GitHub token", "gh", r"(?<![A-Za-z0-9])gh[opsur]_[A-Za-z0-9]{20,}"),
    ("GitHub token", "github_pat_", r"github_pat_\w{20,}"),
    ("AWS key", "IA", r"(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}"),
    ("AWS key", "_", r"(?i)(?<=secret_access_key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?[A-Za-z0-9/+=]{40,}"),
    ("Google key", "AIza", r"AIza[\w-]{35,}"),
    ("Slack token", "xox", r"xox[abeoprs]-[\w-]{10,}"),
    ("GitLab token", "glpat-", r"glpat-[\w-]{20,}"),
    ("Hugging Face token", "hf_", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}"),
    ("npm token", "npm_", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}"),
    ("Stripe key", "k_", r"(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("Prompt Gate token", "pgate_", r"(?<![A-Za-z0-9])pgate_[A-Za-z0-9]{30,}"),
    ("session token", "eyJ", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?"),
)
_COMPILED = tuple((f"⟨{name}⟩", mark, re.compile(form, re.ASCII)) for name, mark, form in _FORMS)


def masked(text: str) -> str:
    """The text with the name of its kind in place of each key.

    Args:
        text: not yet cut, or half of a key would be left.
    """
    for name, mark, form in _COMPILED:
        # Most texts hold no key, and looking for a word is a hundred times faster than a pattern.
        if mark in text:
            text = form.sub(name, text)
    return text
