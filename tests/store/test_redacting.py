import pytest

from gate.environment.settings import Retention, redactions, retention
from gate.errors import GateError
from gate.store.redaction import redactor

TEXT = "Ann <ann@example.org>, +49 30 901820, 4111 1111 1111 1111, sk-abcdefghij0123456789abcd, ACME-1234"


def test_each_kind_is_redacted_and_nothing_else() -> None:
    found = redactor(("email", "phone", "card", "key", "/ACME-[0-9]{4}/"))
    assert found is not None
    assert found(TEXT) == "Ann <[email]>, [phone], [card], ⟨API key⟩, [redacted]"
    assert found("nothing of it: 3.14") == "nothing of it: 3.14"


@pytest.mark.threat("web-redact")
def test_a_pattern_over_its_time_limit_redacts_the_whole_text() -> None:
    found = redactor(("/(x+x+)+y/",))
    assert found is not None
    assert found("x" * 5000) == "[redacted: the pattern took too long]"


@pytest.mark.parametrize("odd", ["emial", "/(/", "//", "/"])
def test_invalid_redactions_are_reported(odd: str) -> None:
    with pytest.raises(GateError, match="GATE_REDACT"):
        redactor(("email", odd))


def test_the_setting_comes_from_the_environment() -> None:
    assert redactions({"GATE_REDACT": "email, phone /a b\\/c{1,2}/\ncard"}) == (
        "email",
        "phone",
        "/a b\\/c{1,2}/",
        "card",
    )
    assert redactions({}) == ()
    assert retention({"GATE_KEEP_OUTPUTS_DAYS": "30", "GATE_KEEP_RUNS_DAYS": " "}) == Retention(30, None)


@pytest.mark.threat("web-days")
@pytest.mark.parametrize("days", ["0", "-1", "1.5", "ever", "9" * 20, "³"])
def test_an_invalid_number_of_days_is_an_error(days: str) -> None:
    with pytest.raises(GateError, match="GATE_KEEP_RUNS_DAYS is not a number of days"):
        retention({"GATE_KEEP_RUNS_DAYS": days})
