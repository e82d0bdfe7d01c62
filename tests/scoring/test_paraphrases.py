"""`paraphrases`: what counts as copied from the caller, and what does not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.scorer import parse_scorers
from gate.messages import Message
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from gate.values import JsonValue

TEXT = st.text(max_size=200)
WORDS = st.lists(st.sampled_from(["pump", "grinds", "warm", "upstairs", "since", "the", "I", "Ron", "42"]), max_size=30)


def scored(turn: str, answer: str, **options: JsonValue) -> tuple[float, str]:
    (spec,) = parse_scorers([{"paraphrases": dict(options)}], "test")
    score = validate(spec, Subject(Case("c", input=turn), answer))
    assert isinstance(score.value, float)
    return score.value, score.reason


TURN = "Yeah my AC's been blowing warm since yesterday morning"


@pytest.mark.parametrize(
    ("turn", "answer"),
    [
        (TURN, "So your AC's been blowing warm since yesterday morning."),
        (TURN, "YOUR AC'S BEEN... BLOWING, WARM; SINCE (YESTERDAY) MORNING!"),
        (TURN, "Your AC\u2019s been blowing warm since yesterday morning?"),
        ("I took a whole day off work", "You took a whole day off work."),
        ("MY FURNACE KEEPS SHUTTING OFF AGAIN", "Your furnace keeps shutting off again."),
        ("My Furnace keeps shutting off again", "YOUR FURNACE KEEPS SHUTTING OFF AGAIN."),
        ("Meine Heizung ist kaputt und alles tropft", "Ihre Heizung ist kaputt und alles tropft."),
        ("空调从昨天开始不制冷", "空调从昨天开始不制冷。"),
        ("Café Mørk has no heat at all downstairs", "Cafe\u0301 Mørk has no heat at all downstairs."),
    ],
)
def test_parroting_is_found(turn: str, answer: str) -> None:
    assert scored(turn, answer)[0] <= 0.5


@pytest.mark.parametrize(
    ("turn", "answer"),
    [
        (TURN, "So Your AC's Been Blowing Warm Since Yesterday Morning."),
        (TURN, "So, Your AC's Been Blowing, Warm, Since Yesterday, Morning."),
        ("the upstairs unit leaks water", "The Upstairs Unit Leaks Water."),
        ("my water heater, it's leaking all over", "Your Water Heater, It's Leaking All Over?"),
        ("My Furnace Keeps Shutting Off Again", "Your Furnace Keeps Shutting Off Again."),
        ("Meine Heizung ist kaputt und alles tropft", "Ihre Heizung Ist Kaputt Und Alles Tropft."),
    ],
)
def test_capitals_of_a_title_make_no_names(turn: str, answer: str) -> None:
    more = " okay, and while i look that up, could you give me your name and your zip code?"
    for text in (answer, f"{answer}{more}", f"HOLD ON PLEASE. {answer}{more}"):
        assert scored(turn, text, max_copied=0)[0] == scored(turn, text.lower(), max_copied=0)[0] < 1.0


@pytest.mark.parametrize(
    ("turn", "answer"),
    [
        (TURN, "No cold air, got it. Can I get your name?"),
        (TURN, "Warm air all day yesterday, huh? Since the morning?"),
        ("I took a whole day off work", "So a wasted day at home, and that's on us."),
        ("It's 2270 Cedar Bend, and Whitfield has an H in it.", "2270 Cedar Bend, and Whitfield has an H in it."),
        ("i'm dana whitfield at 2207 cedar bend drive", "That's Dana Whitfield, 2207 Cedar Bend Drive, right?"),
        ("Cedar Bend Drive. That's where I am.", "Cedar Bend Drive? On my list."),
        ("it's dana marie whitfield on cedar bend drive", "Dana Marie Whitfield, Cedar Bend Drive?"),
        ("it's dana marie whitfield on cedar bend drive", "Okay, I noted Dana Marie Whitfield, Cedar Bend Drive."),
        ("it's will whitfield on cedar bend drive", "That's Will Whitfield, Cedar Bend Drive, right?"),
        ("the shop on over hill road", "Which grinding compressor stands outside Over Hill Road?"),
        ("martin luther king boulevard is where i am", "Okay: Martin Luther King Boulevard."),
        ("zip 78745, unit 12, been 24 hours", "Zip 78745, unit 12, been 24 hours?"),
        ("空调从昨天开始不制冷", "请问您贵姓？"),
    ],
)
def test_own_words_names_and_numbers_are_no_parroting(turn: str, answer: str) -> None:
    assert scored(turn, answer, max_copied=0)[0] == 1.0


@pytest.mark.parametrize(
    ("turn", "answer"),
    [
        ("I took my whole crew off work", "You took your whole crew off work"),
        ("we're sure our vents rattle loudly", "You're sure your vents rattle loudly"),
        ("AC's blowing, it's warm's fault", "AC\u2019s blowing, it\u02bcs warm\u2019s fault"),
        ("\uff21\uff23 blows warm air again", "AC blows warm air again"),
        ("AC blows warm air again", "ac... BLOWS (warm) air! Again?"),
    ],
)
def test_person_apostrophes_case_and_width_make_no_difference(turn: str, answer: str) -> None:
    assert scored(turn, answer, max_copied=0)[0] == scored(turn, turn, max_copied=0)[0] < 1.0


def test_the_score_falls_in_a_straight_line_beyond_what_is_let_pass() -> None:
    turn = "pump grinds loudly upstairs whenever neighbours sleep"
    answer = "pump grinds loudly upstairs, meaning bearings wore thin, maintenance helps"
    # Of 8 runs "pump grinds loudly" and "grinds loudly upstairs" are copied.
    assert scored(turn, answer, max_copied=0)[0] == pytest.approx(0.75)
    assert scored(turn, answer, max_copied=0.1)[0] == pytest.approx(0.75 / 0.9)
    assert scored(turn, answer, max_copied=0.25)[0] == 1.0
    assert scored(turn, answer, max_copied=0)[1] == (
        '2 of 8 sequences of 3 words are copied: "pump grinds loudly upstairs"'
    )


def test_the_longest_copied_passage_is_shown() -> None:
    turn = "compressor rattles badly and then water drips through ceiling boards"
    answer = "Compressor rattles badly? Okay: water drips through ceiling, since when?"
    assert scored(turn, answer)[1].endswith('words are copied: "water drips through ceiling"')


@pytest.mark.parametrize("turn", ["", "Help!", "AC's out"])
def test_a_turn_that_is_shorter_than_a_run_cannot_be_copied(turn: str) -> None:
    assert scored(turn, f"{turn} {turn} okay") == (
        1.0,
        "the caller's turn has fewer than 3 words, so there is nothing to copy",
    )


@pytest.mark.parametrize("answer", ["", " \n"])
def test_a_blank_answer_takes_nothing_up(answer: str) -> None:
    assert scored(TURN, answer) == (0.0, "the answer is empty")


def test_the_last_turn_of_the_caller_counts_alone() -> None:
    turns = (
        Message("user", "compressor rattles badly every night"),
        Message("assistant", "valve sticks open again today"),
        Message("user", "outdoor fan stopped spinning completely yesterday"),
    )
    (spec,) = parse_scorers(["paraphrases"], "test")

    def value(answer: str) -> object:
        return validate(spec, Subject(Case("c", messages=turns), answer)).value

    assert value("compressor rattles badly every night, valve sticks open again today") == 1.0
    assert value("outdoor fan stopped spinning completely yesterday") == pytest.approx(0.25)


@given(TEXT, TEXT, st.integers(1, 10), st.floats(0, 0.99))
@example("\ud83d\ude00", "'''", 1, 0.0)
@example("a'b'c", "A'B'C", 1, 0.0)
def test_any_texts_get_a_score_and_a_line(turn: str, answer: str, n: int, most: float) -> None:
    value, reason = scored(turn, answer, n=n, max_copied=most)
    assert 0.0 <= value <= 1.0
    assert reason and "\n" not in reason
    assert scored(turn, answer, n=n, max_copied=most) == (value, reason)


@given(WORDS, WORDS)
def test_letting_more_pass_never_lowers_the_score(turn: list[str], answer: list[str]) -> None:
    values = [scored(" ".join(turn), " ".join(answer), max_copied=most)[0] for most in (0, 0.1, 0.5, 0.9)]
    assert values == sorted(values)
