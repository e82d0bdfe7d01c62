"""A run that asks for no evals is as it is without the plugin."""

import re
from pathlib import Path

from tests.e2e.pytest_plugin.conftest import Project

LOOK = """\
import sys
def test_nothing_of_it_is_loaded():
    heavy = {"numpy", "pydantic", "openai", "anthropic", "ruamel.yaml", "aiohttp", "jinja2", "click", "rich"}
    assert not heavy & set(sys.modules)
    loaded = {name for name in sys.modules if name.partition(".")[0] == "gate"}
    assert loaded <= {"gate", "gate.pytest_plugin", "gate.pytest_plugin.plugin", "gate.pytest_plugin.selection"}
"""


def test_evals_are_left_out_and_the_configuration_is_not_even_read(project: Project) -> None:
    (project.root / "gate.yaml").write_text("version: [")
    ran = project.run("-v")
    assert ran.code == 0
    assert "test_plain PASSED" in ran.out
    assert "1 passed, 1 deselected" in ran.out
    assert "gate.yaml" not in ran.out
    asked_for_others = project.run("-m", "not (eval or slow)")
    assert asked_for_others.code == 0
    assert "1 passed, 1 deselected" in asked_for_others.out
    assert not project.server.requests
    assert not (project.root / ".gate").exists()


def test_nothing_is_imported_but_pytest(project: Project) -> None:
    project.tests(LOOK)
    ran = project.run_from_nothing("-p", "no:xdist")
    assert ran.code == 0, ran.out


def test_a_conftest_may_have_such_options_of_its_own(project: Project) -> None:
    adding = "".join(f"    parser.addoption('{option}')\n" for option in ("--eval", "--model", "--run-evals"))
    (project.root / "conftest.py").write_text(f"def pytest_addoption(parser):\n{adding}")
    assert project.run("--model", "theirs").code == 0


def test_a_project_without_a_configuration_may_mark_its_own_tests(project: Project) -> None:
    (project.root / "gate.yaml").unlink()
    ran = project.run("-m", "eval")
    assert ran.code == 0
    assert "1 passed, 1 deselected" in ran.out


def test_an_own_test_runs_when_it_is_named(project: Project) -> None:
    project.tests("@pytest.mark.eval\n@pytest.mark.parametrize('x', [1, 2])\ndef test_judge(x):\n    pass\n")
    assert "1 passed" in project.run("test_own.py::test_judge[2]").out
    ran = project.run("test_own.py")
    assert (ran.code, "2 deselected" in ran.out) == (5, True)


def test_the_options_of_the_documentation_are_there(project: Project) -> None:
    page = Path(__file__).parents[3] / "docs/how-to/check-and-pytest.md"
    named = set(re.findall(r"--gate-[a-z-]+", page.read_text()))
    told = set(re.findall(r"--gate-[a-z-]+", project.run("--help").out))
    assert named == told
