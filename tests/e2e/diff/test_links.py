"""Links in folders of prompt patterns: added links are an error, and existing links are ignored."""

from pathlib import Path

import pytest

from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.example import CONFIG, case


def repository(folder: Path, pattern: str) -> Path:
    """A repository whose `main` has links inside a pattern, with the branch `change` checked out."""
    git(folder, "init", "--quiet", "--initial-branch", "main")
    start = CONFIG[: CONFIG.index("suites:")]
    suite = f"suites:\n  - {{name: all, prompt: '{pattern}', cases: evals/faq.jsonl, scorers: [contains]}}\n"
    (folder / "gate.yaml").write_text(start + suite)
    for path in ("prompts/a/faq.md", "prompts/plain.md", "evil/faq.md"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("Answer. quality=1.0")
    (folder / "prompts/old.md").symlink_to("plain.md")
    (folder / "prompts/older").symlink_to("a")
    (folder / "by").symlink_to("ways")
    (folder / "ways").mkdir()
    (folder / "ways/way").symlink_to("../evil")
    write_jsonl(folder / "evals/faq.jsonl", [case(i, "free") for i in range(12)])
    save(folder)
    git(folder, "switch", "--quiet", "--create", "change")
    return folder


def save(repo: Path) -> Path:
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "change")
    return repo


def run(repo: Path, more: list[str]) -> Outcome:
    return gate("diff", "--base", "main", *more, cwd=repo)


@pytest.mark.parametrize(
    ("pattern", "path", "target", "more"),
    [
        ("prompts/*.md", "prompts/new.md", "../evil/faq.md", []),
        ("prompts/*/faq.md", "prompts/a", "../evil", ["--head", "change"]),
        ("prompts/**/*.md", "prompts/new", "../evil", ["--head", "change"]),
        ("prompts/*/faq.md", "prompts/new", "../by/../by/way", ["--head", "change"]),
    ],
)
def test_a_link_added_by_the_change_is_an_error(
    tmp_path: Path, pattern: str, path: str, target: str, more: list[str]
) -> None:
    repo = repository(tmp_path, pattern)
    git(repo, "rm", "--quiet", "-r", "--ignore-unmatch", path)
    (repo / path).symlink_to(target)
    outcome = run(save(repo), more)
    assert outcome.code == 2
    said = " ".join(outcome.err.split())
    assert f"{path}: is a symbolic link that the change adds where '{pattern}' looks for prompts" in said
    assert "replace the link with the files" in said


def test_a_new_submodule_and_an_updated_one_are_errors(tmp_path: Path) -> None:
    repo = repository(tmp_path, "prompts/**/*.md")
    (repo / "prompts/more").mkdir()
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{git(repo, 'rev-parse', 'main')},prompts/more")
    git(repo, "commit", "--quiet", "--message", "two")
    outcome = run(repo, [])
    assert outcome.code == 2
    assert "prompts/more: is a submodule that the change adds" in " ".join(outcome.err.split())
    git(repo, "branch", "--force", "main", "change")
    git(repo, "update-index", "--cacheinfo", f"160000,{git(repo, 'rev-parse', 'change')},prompts/more")
    git(repo, "commit", "--quiet", "--message", "three")
    outcome = run(repo, [])
    assert outcome.code == 2
    assert "prompts/more: is a submodule that the change updates" in " ".join(outcome.err.split())
    git(repo, "branch", "--force", "main", "change")
    assert "SKIPPED" in run(repo, []).out


def test_existing_links_and_links_elsewhere_are_ignored(tmp_path: Path) -> None:
    repo = repository(tmp_path, "prompts/**/*.md")
    (repo / "evil/new.md").symlink_to("faq.md")
    (repo / "prompts/NOTES").symlink_to("../evil/faq.md")
    (repo / "prompts/gone").symlink_to("../nowhere")
    (repo / "prompts/tools").symlink_to("/usr/bin")
    (repo / "docs").mkdir()
    (repo / "docs/README").write_text("x")
    (repo / "prompts/docs").symlink_to("../docs")
    for path in ("prompts/a/faq.md", "prompts/plain.md"):
        (repo / path).write_text("Answer. Be kind. quality=1.0")
    outcome = run(save(repo), ["--head", "change"])
    assert (outcome.code, "PASS" in outcome.out) == (0, True)


def test_the_first_configuration_cannot_add_links(tmp_path: Path) -> None:
    repo = repository(tmp_path, "prompts/*.md")
    git(repo, "switch", "--quiet", "main")
    git(repo, "rm", "--quiet", "--cached", "gate.yaml")
    git(repo, "commit", "--quiet", "--message", "without")
    assert run(repo, []).code == 0
    (repo / "prompts/new.md").symlink_to("../evil/faq.md")
    assert run(repo, []).code == 2
