"""Who works here, as git knows them."""

from gate.git.repo import Repo


def git_name(repo: Repo) -> str:
    """The name that commits of a repository get; empty where git knows none."""
    answer = repo.git.ask("config", "--get", "user.name")
    return answer.out.decode(errors="replace").strip() if answer.code == 0 else ""
