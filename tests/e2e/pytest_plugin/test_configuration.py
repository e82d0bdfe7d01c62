"""Where the configuration is, and mistakes in it."""

import re

from tests.e2e.pytest_plugin.conftest import Project
from tests.support.command import git


def test_errors_are_reported_with_file_and_line(project: Project) -> None:
    project.write(suite="    treshold: 1\n")
    (project.root / "cases.jsonl").write_text('{"id": "a"')
    ran = project.run("-m", "eval")
    assert ran.code == 2
    assert "ERROR collecting gate.yaml" in ran.out
    assert re.search(r"gate\.yaml:\d+: .*treshold", ran.out)
    assert "Traceback" not in ran.out


def test_the_configuration_may_have_another_name(project: Project) -> None:
    (project.root / "gate.yaml").rename(project.root / "bot.yaml")
    ran = project.run("-m", "eval", "--gate-config", "bot.yaml", "-v")
    assert (ran.code, "9 passed" in ran.out, "bot.yaml" in ran.out) == (0, True, True)
    project.tests("", ini="gate_config = bot.yaml\n")
    assert "8 passed" in project.run("-m", "eval").out
    absent = project.run("-m", "eval", "--gate-config", "none.yaml")
    assert absent.code == 4
    assert "none.yaml" in absent.out and "Traceback" not in absent.out


def test_paths_that_do_not_lead_to_the_configuration_are_reported(project: Project) -> None:
    (project.root / "tests").mkdir()
    (project.root / "test_own.py").rename(project.root / "tests/test_own.py")
    left_out = "eval: gate.yaml is not among the paths; add it, or pass --gate-config"
    ran = project.run("tests", "-m", "eval", "-v")
    assert (left_out in ran.out, "1 passed, 1 deselected" in ran.out) == (True, True)
    ran = project.run("tests", "gate.yaml", "-m", "eval")
    assert left_out not in ran.out and "9 passed, 1 deselected" in ran.out


def test_a_configuration_that_is_named_is_collected_next_to_a_path(project: Project) -> None:
    (project.root / "tests").mkdir()
    (project.root / "test_own.py").rename(project.root / "tests/test_own.py")
    ran = project.run("tests", "-m", "eval", "--gate-config", "gate.yaml", ".")
    assert "9 passed" in ran.out and "among the paths" not in ran.out, ran.out
    # It says where, and not that.
    assert "1 passed, 1 deselected" in project.run("tests", "--gate-config", "gate.yaml").out


def test_a_folder_of_a_repository_has_paths_from_its_root(project: Project) -> None:
    git(project.root, "init", "--quiet")
    sub = project.root / "sub"
    sub.mkdir()
    (project.root / "gate.yaml").rename(sub / "gate.yaml")
    (sub / "pytest.ini").write_text("[pytest]\n")
    ran = project.run("-m", "eval", "--rootdir", "sub", "-c", "sub/pytest.ini", "sub")
    assert "8 passed" in ran.out
