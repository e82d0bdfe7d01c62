"""Which cases run: by name, by keyword, by what failed last; ids of every kind are found again."""

from tests.e2e.pytest_plugin.conftest import Project


def test_cases_are_picked_in_every_way(project: Project) -> None:
    picked = "gate.yaml::bot::safety_3"
    assert "1 passed" in project.run(picked).out
    assert "1 passed, 9 deselected" in project.run("-m", "eval", "-k", "welcome_2").out
    assert "10 passed" in project.run("--gate-eval").out
    assert project.run("gate.yaml::bot::nobody").code == 4


def test_collecting_asks_nobody_and_needs_no_key(project: Project) -> None:
    text = (project.root / "gate.yaml").read_text()
    (project.root / "gate.yaml").write_text(text.replace("own:m", "openai:m"))
    assert project.run("-m", "eval", "--collect-only").code == 0
    ran = project.run("-m", "eval", "-v")
    assert ran.code == 1
    assert "OPENAI_API_KEY" in ran.out and "Traceback" not in ran.out
    assert "8 errors" in ran.out
    assert not project.server.requests


IDS = ["a::b", ":a", "a:", "a[1", "[x]", "a]b[", "50%3A", "a b", "ünïcödé 漢字 🙂", "-m", "a/b\\c", "x" * 150,
       "a::b::[c::d]", "'\"$(id)`;", "<&>"]  # fmt: skip


def test_case_ids_and_suite_names_of_every_kind(project: Project) -> None:
    """They are found again by what the list of cases calls them."""
    project.rows = [{**project.rows[0], "id": name} for name in [*IDS, "other"]]
    project.write()
    text = (project.root / "gate.yaml").read_text()
    (project.root / "gate.yaml").write_text(text.replace("name: bot", "name: 'a::b [c]'"))
    collected = project.run("-m", "eval", "--collect-only", "-q", ".").out.splitlines()
    listed = [line for line in collected if line.startswith("gate.yaml::")]
    assert len(set(listed)) == len(IDS) + 1
    assert listed[-1].endswith("::other")
    ran = project.run(*listed[:-1], "--junit-xml", "junit.xml")
    assert ran.code == 0, ran.out
    assert f"{len(IDS)} passed" in ran.out
    assert len(project.junit()) == len(IDS)
    assert sorted(project.recorded()) == sorted(IDS)
