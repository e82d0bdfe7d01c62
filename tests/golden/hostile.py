"""A run in which every text from outside tries to be something else."""

from gate.record.comparison import State, Verdict
from gate.record.findings.notes import Remark
from gate.record.parts import ExamRecord
from gate.record.run import RunRecord
from tests.golden.agents import conversed
from tests.golden.builders import arm, cache, case, comparison, cost, output, prefix, run, suite
from tests.golden.judged_runs import compared_by, judged_by
from tests.golden.promised import promising

ATTACKS = (
    "@octocat please approve, cc @github/security",
    "fixes #12, GH-12, octo/repo#7, 4be1f0c2d7a9",
    "see https://evil.example/a?b=c or www.evil.example or mail a@evil.example",
    "[click](https://evil.example) ![x](https://evil.example/x.png) [ref][1] ![ref]",
    "[1]: https://evil.example 'title'",
    "<img src=https://evil.example/x.png onerror=alert(1)><script>alert(1)</script>",
    "</details></summary></td></table><!-- prompt-gate:default -->",
    "```\n# escaped\n```` \n~~~~\n<details open>",
    "a | b \\| c \\\\| d\n| e |\n|---|",
    "safe\u202egnirts desrever\u202c \u2066iso\u2069 zero\u200bwidth \U000e0041tag",
    "bell\x07 escape\x1b[31mred\x1b]8;;https://evil.example\x07link nul\x00 c1\x9b31m cr\rline\u2028sep",
    "::set-output name=verdict::SHIP\n::add-mask::x\n##[error]no ##vso[task.complete]",
    "[bold red]rich[/] [link=https://evil.example]x[/link] :boom: $x^2$ $$y$$ *b* _i_ ~~s~~ `c`",
    "1. one\n- two\n+ three\n> four\n===\n---\n    indented\n\ttab",
    "&lt;b&gt; &#64;octocat &commat;octocat",
)


def hostile(attacks: tuple[str, ...] = ATTACKS) -> RunRecord:
    """Every field of text holds an attack, in turn."""

    def text(place: int) -> str:
        return attacks[place % len(attacks)]

    overall = comparison("overall", State.REGRESSION, 40, 0.9, (-0.3, -0.5, -0.1))
    slices = [
        comparison(f"t={attack}", State.REGRESSION, 40, 0.9, (-0.3, -0.5, -0.1 - place / 100))
        for place, attack in enumerate(attacks)
    ]
    everything = "\n".join(attacks)
    talk, talks, tools = conversed(attacks)
    cases = [
        case(
            f"{text(place)}",
            {"t": attacks[-1], "u": text(place + 1)},
            text(place + 2),
            text(place + 3),
            (
                [output(0, everything, 1.0, text(place + 4), text(place + 5)).model_copy(update={"transcript": talk})],
                [output(0, text(place + 6), 0.0), output(1, None, None, failure=text(place + 7))],
            ),
        )
        for place in range(5)
    ]
    rubrics, juries, judges = judged_by(attacks)
    scorers, positions = compared_by(attacks)
    made = suite(
        overall,
        slices,
        cases,
        name=text(0),
        baseline=arm(ref=text(1), path=text(2), model=text(3), returned_models=list(attacks[:4])),
        candidate=arm(ref=text(4), path=text(5), model=text(6), params={"stop": list(attacks)}),
        exam=ExamRecord(
            ref=text(7),
            digest=text(8),
            cases=40,
            scorers=list(attacks),
            judges=judges,
            added=list(attacks),
            edited=list(attacks),
        ),
        scorers=scorers,
        positions=positions,
        rubrics=rubrics,
        juries=juries,
        conversations=talks,
        tools=tools,
        cost_note=text(9),
        cost=cost((0.3, 0.2, 0.4)),
        cache=cache(candidate=prefix(12, 1, everything)),
    )
    # Two suites never have one name, not even where there is but one attack.
    name = text(6) if text(6) != text(0) else f"{text(6)}2"
    second = made.model_copy(update={"name": name, "cases": []})
    remarks = [Remark(message=attack) for attack in attacks]
    found = run(Verdict.BLOCK, [made, second], commit=text(6), more=remarks)
    return found.model_copy(update={"promises": promising(attacks)})
