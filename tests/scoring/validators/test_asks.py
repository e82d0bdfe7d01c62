import pytest

from gate.values import JsonValue
from tests.scoring.validators.scored import score


@pytest.mark.parametrize(
    "answer",
    [
        "Could I get your name, please?",
        "May I have your name",
        "What's your name?",
        "First, what is your name.",
        "And your name is?",
        "Your name, please?",
        "I need your name and address.",
        "I'd like to know your name.",
        "Please tell me your name.",
        "Let me have your name.",
        "Sure. Could you tell me your name, please.",
        "Would you mind telling me your name?",
        "Thanks! Who am I speaking with?",
        "I understand — what's your name?",
        "Can you give me your name and zip code?",
        "That sounds bad. What is your NAME? (First and last.)",
        "Wie ist Ihr Name?",
        "Nennen Sie mir bitte Ihren Namen und Vornamen: wie heißen Sie?",
        "¿Cuál es su nombre?",
        "Quel est votre nom ?",
    ],
)
def test_a_question_about_the_name(answer: str) -> None:
    assert score({"asks": "name"}, answer) == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Your name is Bob.",
        "Thanks for giving me your name.",
        "What's your zip?",
        "Thanks for your name — what's the problem?",
        "I don't need your name.",
        "There is no need to give me your name.",
        "I have noted your name. When should we come?",
        "The name of the technician is Ann.",
        "Give me a second to note your name.",
        "Is it a filename?",
    ],
)
def test_no_question_about_the_name(answer: str) -> None:
    assert score({"asks": "name"}, answer) == 0.0


@pytest.mark.parametrize(
    ("options", "answer", "expected"),
    [
        ({"about": ["name", "zip"]}, "What's your name and your postal code?", 1.0),
        ({"about": ["name", "zip"]}, "What's your name?", 0.0),
        ({"about": "postcode"}, "What is your zip code?", 1.0),
        ({"about": "problem"}, "How can I help?", 1.0),
        ({"about": "breaker"}, "Which breakers tripped?", 1.0),
        ({"about": "gate code"}, "Is there a gate code?", 1.0),
        ({"about": "pets", "words": {"pets": ["dog", "cat"]}}, "Do you have a dog?", 1.0),
        ({"about": "pets"}, "Do you have a dog?", 0.0),
        ({"about": "name", "words": {"name": ["moniker"]}}, "What's your moniker?", 1.0),
        ({"about": "size", "max_questions": 1}, "What size?", 1.0),
        ({"about": "size", "max_questions": 1}, "What size? What color?", 0.0),
    ],
)
def test_options(options: JsonValue, answer: str, expected: float) -> None:
    assert score({"asks": options}, answer) == expected


@pytest.mark.parametrize(
    ("topic", "answers"),
    [
        ("name", ["And you are?", "Got it. And this is?", "Who do I have on the line?", "What do you go by?"]),
        (
            "address",
            ["Where are you?", "Where's the house?", "Okay, where should we head?", "Tell me where you're at."],
        ),
        ("phone", ["What's the best number?", "Is this a good number?", "Can I text you?", "And your number is?"]),
        ("date", ["How soon do you need us?", "Weekday or weekend?"]),
        ("time", ["How early can we come?", "Before noon?"]),
        ("problem", ["What's it doing?", "How's it acting?", "What can I do for you?", "Okay, tell me more."]),
        ("order", ["What did you purchase?", "Do you have a confirmation number?"]),
        ("budget", ["What can you afford?"]),
        ("age", ["What's your year of birth?"]),
    ],
)
def test_a_common_topic_is_asked_about_in_other_words(topic: str, answers: list[str]) -> None:
    assert {answer: score({"asks": topic}, answer) for answer in answers} == dict.fromkeys(answers, 1.0)


@pytest.mark.parametrize(
    ("topic", "answer"),
    [
        ("name", "And you are sure that it is off?"),
        ("name", "And this is the upstairs unit?"),
        ("address", "Where are you in the menu?"),
        ("address", "Where's the breaker?"),
        ("address", "Where do we start?"),
        ("problem", "When should we arrive?"),
        ("problem", "You're doing great. What's your name?"),
        ("problem", "What is your address?"),
        ("phone", "What's your order number?"),
        ("time", "Which day?"),
    ],
)
def test_words_like_those_of_a_topic_are_none(topic: str, answer: str) -> None:
    assert score({"asks": topic}, answer) == 0.0


def test_what_words_cannot_tell() -> None:
    """The page says so."""
    assert score({"asks": "name"}, "Is the name brand Trane?") == 1.0
    assert score({"asks": "name"}, "Whose account is it?") == 0.0
    assert score({"asks": {"about": "name", "words": {"name": ["whose account"]}}}, "Whose account is it?") == 1.0
