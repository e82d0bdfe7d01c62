"""The heat map: well-formed whatever the names are, readable in both schemes, and nothing told by colour alone."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.report.sheets.matrix import render_heatmap, shade_of
from gate.testgen.evaluation.matrix import Matrix, MatrixRow
from gate.testgen.evaluation.metrics import Tally

SVG = "{http://www.w3.org/2000/svg}"
CELLS = Tally(6, 12, 0, 0, 18), Tally(0, 10, 2, 1, 10), Tally(0, 0, 3, 0, 0), Tally(0, 0, 0, 0, 0)
MATRIX = Matrix("Tests", "tests", ("openai:a", "b", "c", "d"), (MatrixRow("rules", CELLS),), "judge")


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_every_cell_says_its_share_its_counts_and_what_is_open() -> None:
    shown = texts(render_heatmap(MATRIX))
    for text in (
        "33.3 %",
        "6 of 18 [16, 56]",
        "0 %",
        "0 of 10 [0, 28]",
        "2 unknown, 1 no answer",
        "no verdict",
        "no test",
    ):
        assert text in shown


@pytest.mark.parametrize(
    ("yes", "no", "shade"),
    [(0, 9, "s0"), (1, 99, "s1"), (10, 90, "s1"), (11, 89, "s2"), (26, 74, "s3"), (51, 49, "s4"), (76, 24, "s5"),
     (5, 0, "s5"), (0, 0, "none")],
)  # fmt: skip
def test_shades(yes: int, no: int, shade: str) -> None:
    assert shade_of(Tally(yes, no, 4, 0, yes + no)) == shade


@pytest.mark.threat("heat-map")
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_name_makes_a_picture_that_nothing_breaks_out_of(model: str, prompt: str) -> None:
    root = ElementTree.fromstring(
        render_heatmap(replace(MATRIX, models=(model,) * 4, rows=(MatrixRow(prompt, CELLS),)))
    )
    assert {node.tag.removeprefix(SVG) for node in root.iter()} == {
        "svg",
        "title",
        "desc",
        "style",
        "rect",
        "text",
        "g",
    }


@pytest.mark.threat("heat-map")
@pytest.mark.parametrize(
    "name",
    [
        "</text><script>alert(1)</script>",
        '"><image href="https://x.example/a.png"/>',
        "]]>",
        "&xxe;",
        "\x00\ufffe\ud800",
    ],
)
def test_hostile_names_stay_names(name: str) -> None:
    svg = render_heatmap(replace(MATRIX, models=(name, "b", "c", "d"), rows=(MatrixRow(name, CELLS),)))
    known = {"svg", "title", "desc", "style", "rect", "text", "g"}
    assert {node.tag.removeprefix(SVG) for node in ElementTree.fromstring(svg).iter()} == known
    assert not re.search(r"<script|<image|<!", svg)


def test_nothing_loads_and_nothing_runs() -> None:
    svg = render_heatmap(MATRIX)
    assert not re.search(r"url\(|@import|href|<script|foreignObject", svg)
    assert svg.count("http") == 1


def test_numbers_are_readable_on_every_shade_of_both_schemes() -> None:
    style = render_heatmap(MATRIX).partition("<style>")[2].partition("</style>")[0]
    for scheme in style.split("@media"):
        fills = dict(re.findall(r"\.(s\d) rect \{ fill: (#\w{6});", scheme))
        inks = dict(re.findall(r"\.(s\d) text \{ fill: (#\w{6});", scheme))
        assert sorted(fills) == sorted(inks) == ["s0", "s1", "s2", "s3", "s4", "s5"]
        for shade, fill in fills.items():
            assert contrast(fill, inks[shade]) >= 4.5, (shade, fill)
        lights = [luminance(fills[f"s{place}"]) for place in range(6)]
        assert lights in (sorted(lights), sorted(lights, reverse=True))
        page, ink, soft = (re.search(rf"--{name}: (#\w{{6}})", scheme)[1] for name in ("page", "ink", "soft"))
        assert contrast(page, ink) >= 7 and contrast(page, soft) >= 4.5


def contrast(one: str, other: str) -> float:
    """WCAG 2.1, relative luminance contrast."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
