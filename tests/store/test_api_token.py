from gate.record.transcript import masked
from gate.store.access import is_token, new_secret


def test_a_report_masks_them() -> None:
    assert is_token(new_secret())
    assert masked(f"with {new_secret()}.") == "with ⟨Prompt Gate token⟩."
