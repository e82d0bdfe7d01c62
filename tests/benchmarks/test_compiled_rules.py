"""The figures of compiled rules: wordings, proposed checks, and a judge's recorded verdicts."""

from benchmarks.promptpex.published_tables import PAGE, RESULTS_PAGE
from benchmarks.rules.compiled_rules import by_kind, markdown, tables, written
from benchmarks.rules.judge_agreement import by_prompt, recorded
from benchmarks.rules.proposed_checks import proposed
from benchmarks.rules.rule_wordings import TITLES, Wording, outcome, outcomes
from gate.testgen.rules.plain_forms import PLAIN_FORMS

# P2 and P3 differ from what other code counts: ten answers more each, of which nine have elements without an end tag or
# one beside a tag that a code span quotes; P2 six less, where prose before the first element speaks of the tags.
VIOLATIONS = {"P1": (41, 0), "P2": (151, 43), "P3": (222, 104), "N1": (64, 29), "N2": (136, 82), "C1": (2, 0)}


def test_violations_and_how_many_the_judge_passed():
    rows = recorded()
    for rule, counts in VIOLATIONS.items():
        wrong = [row.answer for row in rows if rule in row.broken]
        assert (len(wrong), sum(row.passed for row in wrong)) == counts, rule


def test_a_wording_that_compiles_to_something_else_is_wrong():
    wording: Wording = {
        "kind": "length",
        "text": "The output must be at most 3 words.",
        "expect": [{"kind": "words", "options": {"max": 3}}],
        "keeps": ["a b c"],
        "breaks": ["a b c d"],
    }
    assert outcome(wording).right
    assert outcome({**wording, "expect": [{"kind": "words", "options": {"max": 4}}]}).fault
    assert outcome({**wording, "expect": [{"kind": "sentences"}]}).fault
    assert outcome({**wording, "keeps": ["a b c d"]}).fault
    assert outcome({**wording, "breaks": ["a"]}).fault
    assert outcome({**wording, "expect": None}).fault
    assert by_kind("t", [outcome(wording)]).row_count == 2


def test_no_wording_compiles_wrongly_and_the_page_says_how_many_compile() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    for name, title in TITLES.items():
        assert {one.wording["text"]: one.fault for one in outcomes(name) if one.fault} == {}
        fit = [one for one in outcomes(name) if one.wording["expect"] is not None]
        right = sum(one.right for one in fit)
        assert f"| {title[0].lower()}{title[1:]} | {len(fit)} | {right} | {right} |" in text


def test_the_page_says_how_many_proposed_checks_are_accepted() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    right = [one.accepted for one in proposed() if one.what == "right"]
    wrong = [one.accepted for one in proposed() if one.what != "right"]
    assert f"one of {len(PLAIN_FORMS)} plain English forms" in text
    assert f"accepts {sum(right)} of {len(right)} right checks and {sum(wrong)} of {len(wrong)} wrong ones" in text


def test_the_results_hold_the_tables_as_they_are_computed():
    results, found = RESULTS_PAGE.read_text(encoding="utf-8"), tables()
    assert written(results, found) == results, "python -m benchmarks.rules.compiled_rules --write"
    assert all(markdown(table) in results for table in found)


def test_what_the_page_says_of_them():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    kappas = [cell.split()[0] for cell in list(by_prompt(recorded()).columns[-1].cells) if cell != "-"]
    assert f"kappa is {min(kappas)} to {max(kappas)}" in text
    wrong, passed = VIOLATIONS["N2"]
    assert f"{passed} of {wrong} wrong outputs passed" in text
