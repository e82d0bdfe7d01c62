"""The figures of compiled rules: wordings, and a judge's recorded verdicts."""

from benchmarks import attackers, prompt_orders, second_author
from benchmarks.compiled_rules import by_kind
from benchmarks.promptpex_tables import PAGE, RESULTS
from benchmarks.recorded_rules import by_prompt, recorded
from benchmarks.rule_wordings import Wording, outcome, outcomes
from benchmarks.rules_page import markdown, tables, written

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
        "set": "tuned",
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


def test_a_tuned_wording_becomes_what_it_says_or_nothing():
    tuned = [one for one in outcomes() if one.wording["set"] == "tuned"]
    assert {one.wording["text"]: one.fault for one in tuned if one.fault} == {}
    assert [one.wording["text"] for one in tuned if (one.compiled is None) != (one.wording["expect"] is None)] == []


def test_no_wording_of_the_second_author_compiles_wrongly():
    found = second_author.outcomes()
    assert {one.wording["text"]: one.fault for one in found if one.fault} == {}
    assert len(second_author.RULES) == second_author.FIRST.wordings


def test_the_reviewers_findings_are_fixed():
    found = attackers.outcomes()
    assert {one.wording["text"]: one.fault for one in found if one.fault} == {}
    assert len(found) == attackers.FIRST.wordings
    assert all(one.wording["keeps"] or one.wording["breaks"] for one in found)


def test_no_order_of_a_prompt_compiles_wrongly_and_the_page_says_so():
    tuned, held_out = prompt_orders.outcomes(), prompt_orders.outcomes(held_out=True)
    assert {one.wording["text"]: one.fault for one in tuned + held_out if one.fault} == {}
    fit = [one for one in tuned + held_out if one.wording["expect"] is not None]
    assert [one.wording["text"] for one in fit if not (one.wording["keeps"] and one.wording["breaks"])] == []
    assert len({one.wording["text"] for one in tuned + held_out}) == len(tuned + held_out)
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    fit = [one for one in held_out if one.wording["expect"] is not None]
    right = sum(one.right for one in fit)
    assert f"| orders of public prompts, held out | {len(fit)} | {right} | {right} |" in text


def test_the_page_says_what_the_first_run_of_a_second_author_counted():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    first = second_author.FIRST
    assert f"{first.right} of {first.compiled} compiled wordings were right" in text
    assert f"not seen the compiler | {first.wordings} |" in text


def test_the_page_says_what_is_counted_now_and_what_was_wrong_before_the_attack():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    now = [one for one in second_author.outcomes() if one.compiled is not None]
    assert f"| {second_author.FIRST.wordings} | {len(now)} | {sum(one.right for one in now)} |" in text
    before, after = attackers.FIRST, [one for one in attackers.outcomes() if one.compiled is not None]
    assert f"{before.right} of {before.compiled} compiled ones were right before" in text
    assert f"| {before.wordings} | {len(after)} | {sum(one.right for one in after)} |" in text


def test_the_results_hold_the_tables_as_they_are_computed():
    results, found = RESULTS.read_text(encoding="utf-8"), tables()
    assert written(results, found) == results, "python -m benchmarks.compiled_rules --write"
    assert all(markdown(table) in results for table in found)


def test_what_the_page_says_of_them():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    kappas = [cell.split()[0] for cell in list(by_prompt(recorded()).columns[-1].cells) if cell != "-"]
    assert f"kappa is {min(kappas)} to {max(kappas)}" in text
    wrong, passed = VIOLATIONS["N2"]
    assert f"{passed} of {wrong} wrong outputs passed" in text
