import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.scoring.validators.number import numbers
from gate.values import JsonValue
from tests.scoring.validators.scored import score


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("-1,234.5 kg", [-1234.5]),
        ("between 5 and 10", [5, 10]),
        ("3-5 people", [3, 5]),
        ("1,5", [1, 5]),
        ("version 1.2.3", []),
        ("It costs $5.", [5]),
        ("-$5 and $-6 and (−7)", [-5, -6, -7]),
        ("B2B, v2, x_3", []),
        ("5kg, 20%, 3rd", [5, 20, 3]),
        ("1'234 and 12\u202f000", [1234, 12000]),
        ("2e3 and 1.5E-2", [2000, 0.015]),
        (".5 and -.5", [0.5, -0.5]),
        ("٣٫٥", [3.5]),
        ("1,234,567.25", [1234567.25]),
        ("10:30 on 2024-05-01", [10, 30, 2024, 5, 1]),
        ("9" * 50, []),
        ("1e999", []),
        ("- 5 apples", [5]),
        ("none", []),
    ],
)
def test_numbers(text: str, found: list[float]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("答案是42。", [42]),
        ("답은42입니다", [42]),
        ("ราคา42บาท, ที่7", [42, 7]),
        ("メーター42まで", [42]),
        ("कीमत42रुपये", [42]),
        ("السعر42ريال", [42]),
        ("ב42, ב-42", [42, 42]),
        ("合計は1,250円です", [1250]),
        ("１，２５０円と４２度", [1250, 42]),
        ("1e5円", [100_000]),
        ("温度是-42度,または－４２度", [-42, -42]),
        ("온도는-42도", [-42]),
        ("价格:-1,250元", [-1250]),
        ("从5到-3", [5, -3]),
        ("3时-5时, 3시-5시, 100元-200元", [3, 5, 3, 5, 100, 200]),
        ("iPhone15的价格42元", [42]),
        ("EUR5, USD1,250.50, EUR2,999", [5, 1250.5, 2999]),
        ("5,99EUR, 1 250.50, TL99, Ksh5", [5.99, 1250.5, 99, 5]),
        ("价格是USD5", [5]),
        ("US$5, R$6, Rs.7, Rs 8, kr9, zł10", [5, 6, 7, 8, 9, 10]),
        ("5EUR, 6 USD, 7 €, 8zł, 9kr", [5, 6, 7, 8, 9]),
        ("EUR-5, EUR -6, -EUR7, -EUR 8, −€ 9, € -10", [-5, -6, -7, -8, -9, -10]),
        ("$5-$7, 5€-7€, 5 USD-7 USD", [5, 7, 5, 7, 5, 7]),
        ("TOP10, COP26, MP3, xEUR5, A4", []),
        ("abc1,250 and x1.5", []),
        ("1 250,50 and 1.250,50 and 12 345 678,9", [1250.5, 1250.5, 12_345_678.9]),
        ("€1 250, 1 250 kr, USD 1 250.50", [1250, 1250, 1250.5]),
        ("5,99 € and €1,5 and EUR250,50", [5.99, 1.5, 250.5]),
        ("room 5 250 guests, v5 250", [5, 250, 250]),
        ("12,34,567.89 and Rs 1,50,000", [1_234_567.89, 150_000]),
        ("1'250.50 and 1’250,50", [1250.5, 1250.5]),
        ("0,250", [0, 250]),
    ],
)
def test_numbers_beside_letters_and_currencies(text: str, found: list[float]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1 250", [1250]),
        ("1 250,50 €", [1250.5]),
        ("1,250.50", [1250.5]),
        ("$5.99", [5.99]),
        ("1.234,5", [1234.5]),
        ("3,5 kg", [3.5]),
        ("1.5", []),
        ("1.000.000", [1_000_000]),
        ("7", [7]),
    ],
)
def test_numbers_with_a_decimal_comma(text: str, found: list[float]) -> None:
    assert numbers(text, comma=True) == found


@pytest.mark.parametrize(
    ("options", "answer", "expected"),
    [
        ({"value": 42}, "It is 42.", 1.0),
        ({"value": 42}, "It is 42.1", 0.0),
        ({"value": 42, "tolerance": 0.1}, "It is 42.1", 1.0),
        ({"value": 42, "tolerance": 0.1}, "It is 42.11", 0.0),
        ({"value": 200, "percent": 5}, "about 190", 1.0),
        ({"value": -200, "percent": 5}, "about -210.5", 0.0),
        ({"value": 0, "percent": 50}, "0.001", 0.0),
        ({"value": 3}, "2 or 3 or 4", 1.0),
        ({"value": 3, "which": "first"}, "2 or 3", 0.0),
        ({"value": 2, "which": "first"}, "2 or 3", 1.0),
        ({"value": 3, "which": "last"}, "2 or 3", 1.0),
        ({"value": 2, "which": "last"}, "2 or 3", 0.0),
        ({"value": 2, "which": "only"}, "2 or 3", 0.0),
        ({"value": 2, "which": "only"}, "just 2", 1.0),
        ({"value": 3.5, "decimal": "comma"}, "3,5", 1.0),
        ({"value": 0.3}, "0.1 + 0.2 = 0.30000000000000004", 1.0),
        ({"value": 2e-12}, "1e-12", 0.0),
    ],
)
def test_values(options: JsonValue, answer: str, expected: float) -> None:
    assert score({"number": options}, answer) == expected


@pytest.mark.parametrize("expected", [1234.5, "1,234.5", "$1,234.50"])
def test_the_expected_value_may_be_a_number_or_be_written_as_one(expected: JsonValue) -> None:
    assert score("number", "That makes 1,234.5 in all.", expected) == 1.0
    assert score("number", "That makes 1,234.6 in all.", expected) == 0.0


@given(st.floats(-1e9, 1e9).map(lambda value: round(value, 3)), st.sampled_from(["{}", "about {} kg.", "x = {}\n"]))
def test_a_number_is_read_as_it_is_written(value: float, frame: str) -> None:
    assert numbers(frame.format(f"{value:,.3f}")) == [value]
    for beside in ("答案是{}。", "답은{}입니다", "ราคา{}บาท", "EUR{}", "合計は{}円", "({})", "USD {}", "{}€", "是{}"):
        assert numbers(beside.format(f"{value:,.3f}")) == [value], beside
    spaced = f"{value:,.3f}".replace(".", ";").replace(",", " ").replace(";", ",")
    for blank in (" ", "\u00a0", "\u202f", "'"):
        assert numbers(frame.format(spaced.replace(" ", blank)), comma=True) == [value]
        cents = f"{value:,.2f}".replace(".", ";").replace(",", blank).replace(";", ",")
        assert numbers(f"about {cents} € in all") == [round(value, 2)]
    german = f"{value:,.3f}".translate(str.maketrans(",.", ".,"))
    assert numbers(frame.format(german), comma=True) == [value]
