"""`format` in a JSON Schema, and the code fences that may be around JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.formats import format_checker
from gate.values import JsonValue
from tests.scoring.validators.scored import score

RIGHT: dict[str, list[str]] = {
    "date": ["2024-02-29", "1999-12-31"],
    "date-time": ["2024-02-29T23:59:59Z", "2024-01-01t00:00:00.123+05:30", "1998-12-31T23:59:60Z"],
    "time": ["08:30:06Z", "23:59:60Z", "01:29:60+01:30", "12:00:00.5-08:00"],
    "duration": ["P1Y2M3DT4H5M6S", "PT36H", "P4W", "PT0S"],
    "email": ["a.b+c@example.co.uk", "me@localhost", '"a b"@example.com', "a@[127.0.0.1]", "a@[IPv6:::1]"],
    "idn-email": ["用户@例子.广告", "a@example.com"],
    "hostname": ["example.com", "a", "xn--4gbwdl.xn--wgbh1c"],
    "ipv4": ["192.168.0.1"],
    "ipv6": ["::1", "2001:db8::ff00:42:8329"],
    "uri": [
        "https://example.com:8080/a?b=c#d",
        "mailto:a@example.com",
        "urn:isbn:0451450523",
        "ldap://[2001:db8::7]/c=GB",
    ],
    "uri-reference": ["/a/b?c#d", "//example.com", "", "https://example.com"],
    "iri": ["https://ƒøø.ßår/?∂éœ=πîx"],
    "iri-reference": ["/âππ"],
    "uuid": ["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
    "json-pointer": ["", "/a/b~1c~0"],
    "relative-json-pointer": ["0", "1/a", "2#"],
}
WRONG: dict[str, list[str]] = {
    "date": [
        "yesterday",
        "2023-02-29",
        "2024-2-1",
        "20240101",
        "2024-W01-1",
        "2024-01-01T00:00:00Z",
        "2024-01-01\n",
        "٢٠٢٤-٠١-٠١",
    ],
    "date-time": [
        "2024-01-01",
        "2024-01-01 00:00:00Z",
        "2024-01-01T00:00:00",
        "2024-01-01T25:00:00Z",
        "2024-13-01T00:00:00Z",
    ],
    "time": ["8:30 AM", "24:00:00Z", "08:30:06", "22:59:60Z", "08:30:06+25:00", "noon"],
    "duration": ["P", "PT", "1 day", "P1D2H", "P2D1Y", "P1WT1H", "-P1D"],
    "email": [
        "nobody",
        "@",
        "a@",
        "@b",
        "a b@example.com",
        "a..b@example.com",
        ".a@example.com",
        "a@b@c",
        "a@-b.com",
        "a@[127.0.0.300]",
    ],
    "idn-email": ["用户", "@例子", "a b@例子.广告"],
    "hostname": ["-a.com", "a_b.com", "a..b", "", "a" * 64, "example.com.", "a b"],
    "ipv4": ["256.0.0.1", "1.2.3", "01.2.3.4", "localhost"],
    "ipv6": ["12345::", "::1%eth0", "1.2.3.4"],
    "uri": [
        "example.com",
        "//example.com/a",
        "http:// b.com",
        "http://[x",
        "a:b\\c",
        "http://a:b:c",
        "http://a/%zz",
        "http://a#b#c",
    ],
    "uri-reference": ["\\\\host\\share", "a b", "#a#b"],
    "iri": ["ƒøø", "http:// ø"],
    "iri-reference": ["\\ø", "ø ø"],
    "uuid": [
        "2eb8aa08aa9811eab4aa73b441d16380",
        "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
        "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
        "x",
    ],
    "json-pointer": ["a", "/~2", "/a~"],
    "relative-json-pointer": ["-1", "/a", "01", "0##"],
}


def passes(name: str, value: JsonValue) -> float:
    schema = {"type": "object", "properties": {"it": {"format": name}}, "required": ["it"]}
    found = score({"json_schema": {"schema": schema}}, json.dumps({"it": value}))
    assert isinstance(found, float)
    return found


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in RIGHT.items() for value in values])
def test_a_text_in_its_format_passes(name: str, value: str) -> None:
    assert passes(name, value) == 1.0


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_text_in_no_such_format_fails(name: str, value: str) -> None:
    assert passes(name, value) == 0.0


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("value", [None, 3, True, [], {}])
def test_a_format_is_of_texts_alone(name: str, value: JsonValue) -> None:
    assert passes(name, value) == 1.0


@given(st.sampled_from(sorted(RIGHT)), st.text(max_size=40))
def test_any_text_is_in_a_format_or_not(name: str, text: str) -> None:
    assert format_checker().conforms(text, name) in (True, False)


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("part", ["a", "a.", "1", ":", "/", "@", "%41", "~0/", "P1Y", "-"])
def test_a_long_text_is_checked_at_once(name: str, part: str) -> None:
    """Patterns without backtracking: a million characters would take hours with it."""
    format_checker().conforms(part * 300_000, name)


ANSWER: JsonValue = {"day": "2024-01-01"}
SCORERS: list[dict[str, JsonValue]] = [
    {"json": {}},
    {"json_schema": {"schema": {"required": ["day"]}}},
    {"json_path": {"path": "$.day", "equals": "2024-01-01"}},
]
FENCES = st.builds(lambda mark, count: mark * count, st.sampled_from("`~"), st.integers(3, 6))


@given(
    FENCES,
    st.sampled_from(["", "json", "JSON", " json", "json5", "json title=x", "jsonc {1}"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", "\r\n", "  ", "\n\n "]),
    st.sampled_from([None, 2]),
    st.sampled_from(SCORERS),
)
def test_json_in_any_fence_is_read(
    fence: str, info: str, end: str, around: str, indent: int | None, scorer: dict[str, JsonValue]
) -> None:
    content = json.dumps(ANSWER, indent=indent).replace("\n", end)
    text = f"{around}{fence}{info}{end}{content}{end}{fence}{around}"
    assert score(scorer, text) == 1.0
    (kind, options), *_ = scorer.items()
    assert score({kind: {**dict(options), "fence": False}}, text) == 0.0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "~" * 1_000_000,
        "```\n" + "`" * 1_000_000 + "x",
        " " * 1_000_000 + "~~~\n{}",
        "```json\n{}",
        "``\n{}\n``",
        "~~~\n{}\n```",
        "```\n{}\n~~~",
        "````\n{}\n```",
        "Here you are:\n```json\n{}\n```",
        "```json\n{}\n```\nThat is all.",
        "```json\n{}\n```\n```json\n{}\n```",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_not_one_fence_is_no_json(text: str) -> None:
    assert score({"json": {}}, text) == 0.0
