"""What looks like a key is masked in reports, and what does not is left alone."""

import pytest

from gate.record.secrets import masked
from gate.report.escape import code_block, code_span, html_text, markdown_text, terminal_text, visible
from tests.support.attacks import Attack, attacks, named

SECRETS = [attack for attack in attacks() if attack.kind == "secrets"]


@pytest.mark.parametrize("attack", SECRETS, ids=named)
def test_every_way_to_show_text_masks(attack: Attack) -> None:
    core = attack.core.strip()
    for show in (visible, markdown_text, code_span, code_block, html_text, terminal_text):
        shown = show(f"before {attack.text} after")
        assert core[:12] not in shown
        assert "before" in shown
        assert "⟨" in shown


@pytest.mark.parametrize(
    "text",
    [
        "the task-management-of-many-words-in-one-name",
        "sk-learn and scikit-learn-like-names-without-figures",
        "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab",
        "ghost_writer ghp_short AKIA hf_model eyJ",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "the private key of success",
        "aws_secret_access_key is not set",
        "prompts/support.md",
    ],
)
def test_what_is_no_key_stays(text: str) -> None:
    assert masked(text) == text


def test_text_around_a_key_stays() -> None:
    assert masked("a ghp_" + "a1B2" * 9 + ", b") == "a ⟨GitHub token⟩, b"
