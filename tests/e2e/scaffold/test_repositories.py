"""`gate init` in realistic repositories."""

import json
from pathlib import Path

import pytest

from tests.e2e.scaffold.shop import PROMPT, yaml
from tests.support.command import gate, git
from tests.support.repository import make, write

CODE = '''LIMIT = 3
SYSTEM_PROMPT = """You are a helpful assistant of a shop, and answer every question politely."""


class Router:
    instructions = f"""You route the question of {customer} to one of the teams, and name only the team."""


def reply(client):
    return client.ask(SYSTEM_PROMPT, Router.instructions)
'''
SETTINGS = "agent:\n  system_template: You review {{ diff }} and list what a careful reader would change in it.\n"


def test_prompts_in_code_and_settings_are_tested_in_place(tmp_path: Path) -> None:
    root = make(tmp_path / "bot", {"src/bot.py": CODE, "config/default.yaml": SETTINGS})
    done = gate("init", "--json", "--model", "fake:echo", cwd=root)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert [(one["path"], one["variables"], one["used"]) for one in told["found"]] == [
        ("src/bot.py::Router.instructions", ["customer"], True),
        ("src/bot.py::SYSTEM_PROMPT", [], True),
        ("config/default.yaml::agent.system_template", ["diff"], False),
    ]
    assert [one["name"] for one in told["suites"]] == ["Router", "bot", "agent"]
    assert gate("validate", "--quiet", cwd=root).code == 0
    config = (root / "gate.yaml").read_text(encoding="utf-8")
    assert 'prompt: "src/bot.py::SYSTEM_PROMPT"' in config
    rows = "".join(f"- {{id: c{number}, input: Who are you?, expected: who}}\n" for number in range(10))
    write(root, {"evals/bot/cases.yaml": rows})
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "gate")
    write(root, {"src/bot.py": CODE.replace("politely", "curtly")})
    # The texts beside it did not change, so their empty rows are in nobody's way.
    compared = gate("diff", "--base", "main", "--json", cwd=root)
    assert [one.name for one in compared.record.suites] == ["bot"], compared.err


def test_an_unreadable_file_is_reported_and_skipped(tmp_path: Path) -> None:
    odd = {
        "prompts/open.j2": "one\n{{ two",
        "prompts/a.prompt": "---\nmodel: x\n---\nHello {{name}}",
        "bad.prompty": "---",
    }
    root = make(tmp_path / "shop", {**PROMPT, **odd, "promptfooconfig.yaml": "prompts: [", "prompts/empty.md": " \n"})
    done = gate("init", cwd=root)
    assert done.code == 0, done.err
    assert "Set up 1 of 1 prompt" in done.out
    assert "  line 2: invalid Jinja2" in done.out and ": prompts/open.j2" in done.out
    assert "  is a Handlebars template, which the gate cannot read: prompts/a.prompt" in done.out
    assert "bad.prompty" in done.out and "promptfooconfig.yaml" in done.out
    alone = make(tmp_path / "alone", odd)
    nothing = gate("init", cwd=alone)
    assert (nothing.code, "no prompt could be used" in nothing.err) == (2, True)
    assert not (alone / "gate.yaml").exists()


def test_the_five_most_likely_prompts_are_chosen_and_others_can_be_named(tmp_path: Path) -> None:
    files = {f"docs/prompts/d{number}.md": f"You explain {number}. " * 200 for number in range(2)}
    files |= {f"prompts/p{number}.md": f"You help with {number}." for number in range(6)}
    files |= {"prompts/long.md": "You help with everything. " * 60, "app.py": 'text = load("prompts/p4.md")\n'}
    root = make(tmp_path / "shop", {**files, "evals/p5.jsonl": '{"id": "1", "input": "x", "expected": "x"}\n'})
    done = gate("init", "--dry-run", cwd=root)
    assert done.code == 0, done.err
    gated = [line.strip().partition(":")[0] for line in done.out.splitlines()[1:6]]
    assert gated == [f"prompts/{name}.md" for name in ("p4", "p5", "long", "p0", "p1")]
    assert "For the other 4: gate init --all, or --prompt PATH" in done.out
    assert not (root / "gate.yaml").exists()
    every = json.loads(gate("init", "--all", "--json", "--dry-run", cwd=root).out)
    assert [one["prompt"] for one in every["suites"]][-2:] == ["docs/prompts/d0.md", "docs/prompts/d1.md"]
    named = json.loads(
        gate("init", "--prompt", "docs/prompts/d1.md", "--prompt", "prompts/p0.md", "--json", "--dry-run", cwd=root).out
    )
    assert [one["name"] for one in named["suites"]] == ["d1", "p0"]


def test_it_fits_on_one_screen_whatever_there_is(tmp_path: Path) -> None:
    files = {f"team{number}/prompts/reply.md": f"You reply as team {number}. Use {{name}}." for number in range(13)}
    files |= {f"prompts/broken{number}.j2": "{{ a" for number in range(13)}
    files["promptfooconfig.yaml"] = json.dumps({"prompts": ["Say {{ a }}."], "providers": ["mistral:x"]})
    root = make(tmp_path / "mono", files)
    done = gate("init", "--all", cwd=root)
    assert done.code == 0, done.err
    assert len(done.out.splitlines()) <= 25
    assert "prompts/broken0.j2 and 12 more" in done.out
    names = [one["name"] for one in yaml(root / "gate.yaml")["suites"]]
    assert {"prompt", "team0.reply"} < set(names) and len(set(names)) == 14


@pytest.mark.parametrize(
    ("path", "data", "source", "expected"),
    [
        # A table whose columns are the variables, and one answer column: it is used where it is.
        ("data/any.csv", "article,audience,label\nlong text,experts,short\n", "data/any.csv", ["contains"]),
        # Rows of a form of their own become cases.
        (
            "data/rows.jsonl",
            '{"article": "long", "audience": "experts", "answer": "short", "split": "a"}\n',
            "evals/sum/cases.jsonl",
            ["contains"],
        ),
    ],
)
def test_data_with_the_columns_of_a_prompt_becomes_its_cases(
    tmp_path: Path, path: str, data: str, source: str, expected: list[str]
) -> None:
    root = make(tmp_path / "r", {"prompts/sum.j2": "Summarise {{ article }} for {{ audience }}.", path: data})
    done = gate("init", "--json", cwd=root)
    assert done.code == 0, done.err
    (suite,) = json.loads(done.out)["suites"]
    assert (suite["cases"], suite["count"], suite["scorers"], suite["fill_in"]) == (source, 1, expected, False)
    assert gate("validate", "--quiet", cwd=root).code == 0


@pytest.mark.parametrize(
    "table",
    [
        "question,answer,contexts\nWhere is it?,Nobody checked this.,x\n",
        "question,answer,contexts,ground_truth\nWhere is it?,Nobody checked this.,x,\n",
    ],
)
def test_the_answers_of_a_model_in_a_dataset_are_not_expected(tmp_path: Path, table: str) -> None:
    root = make(tmp_path / "r", {"prompts/ask.j2": "Answer {{ question }} by {{ contexts }}.", "data/ask.csv": table})
    (suite,) = json.loads(gate("init", "--json", cwd=root).out)["suites"]
    assert (suite["count"], suite["fill_in"]) == (1, False)
    assert "Nobody checked this." not in (root / suite["cases"]).read_text()


def test_a_table_about_something_else_is_left_alone(tmp_path: Path) -> None:
    table = "article,sku,price,stock,colour,supplier\nchair,1,2,3,red,x\n"
    root = make(tmp_path / "r", {"prompts/sum.j2": "Summarise {{ article }}.", "data/stock.csv": table})
    (suite,) = json.loads(gate("init", "--json", cwd=root).out)["suites"]
    assert suite["fill_in"] is True


@pytest.mark.parametrize(
    ("head", "field", "both"),
    [
        ("question,output,reference", "expected", "'output' and 'reference'"),
        ("question,query,answer", "input", "'question' and 'query'"),
    ],
)
def test_a_data_file_with_two_columns_for_one_field_is_listed_with_the_name_that_chooses(
    tmp_path: Path, head: str, field: str, both: str
) -> None:
    rows = ",".join("abcd"[: head.count(",") + 1])
    root = make(tmp_path / "r", {"prompts/guide.md": "You help people.", "prompts/guide.csv": f"{head}\n{rows}\n"})
    done = gate("init", "--dry-run", cwd=root)
    reason = f"{both} may both be '{field}': give the one that counts this name: prompts/guide.csv"
    assert "prompts/guide.md: empty case file" in done.out and reason in done.out
    chosen = both.split("'")[3]
    table = root / "prompts/guide.csv"
    table.write_text(table.read_text().replace(chosen, field))
    done = gate("init", "--dry-run", cwd=root)
    assert "1 case from prompts/guide.csv" in done.out and "Skipped" not in done.out


def test_rows_that_init_leaves_out_are_listed(tmp_path: Path) -> None:
    rows = [{"city": "Rome", "who": "Ann"}, {"city": "", "who": "Bob"}, {"city": "", "who": None}]
    rows += [{"city": f"c{number}", "who": "Eve"} for number in range(98)]
    data = "".join(json.dumps({**row, "answer": "x"}) + "\n" for row in rows)
    root = make(tmp_path / "r", {"prompts/city.j2": "Praise {{ city }} to {{ who }}.", "data/city.jsonl": data})
    done = gate("init", cwd=root)
    assert "99 cases from data/city.jsonl" in done.out
    assert "  row 3 without a value and all rows after row 100: data/city.jsonl" in done.out
    written = [json.loads(line) for line in (root / "evals/city/cases.jsonl").read_text().splitlines()]
    assert written[1]["vars"] == {"city": "", "who": "Bob"}


def test_cases_that_the_search_finds_too_are_scored_once(tmp_path: Path) -> None:
    table = "id,input,expected\na,Where?,Rome\nb,Who?,Ann\n"
    files = {"prompts/guide.md": "You help people.", "prompts/guide.csv": table, "evals/guide/cases.yaml": ""}
    root = make(tmp_path / "r", files)
    for chosen in ("prompts/guide.csv", "evals/guide/cases.yaml"):
        (root / "evals/guide/cases.yaml").write_text("- {id: a, input: Where?, expected: Rome}\n")
        (suite,) = json.loads(gate("init", "--dry-run", "--json", "--cases", chosen, cwd=root).out)["suites"]
        assert (suite["cases"], suite["scorers"]) == (chosen, ["contains"])


def test_prompts_of_other_tools_are_imported_with_cases(tmp_path: Path) -> None:
    prompty = "---\nname: x\nsample: {question: Who?}\n---\nsystem:\nYou answer.\n\nuser:\n{{question}}\n"
    chat = "messages: [{role: user, content: 'Greet {{input}}'}]\ntestData: [{input: Ann, expected: Ann}]\n"
    root = make(tmp_path / "r", {"a.prompty": prompty, "b.prompt.yml": chat})
    done = gate("init", cwd=root)
    assert done.code == 0, done.err
    assert "b.prompt.yml: 1 case from the prompt file; compared with the expected answers" in done.out
    assert "a.prompty: 1 case from the prompt file; scored by a judge" in done.out
    assert gate("validate", "--quiet", cwd=root).code == 0
