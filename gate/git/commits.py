"""What a pull request's checkout holds: which commits are there, their parents, and how git would merge two of them."""

from dataclasses import dataclass

from gate.errors import CannotEvaluate
from gate.git.command import Git


@dataclass(frozen=True, slots=True)
class Commits:
    """The commits of one clone, which may be shallow.

    Args:
        git: runs git in the clone.
    """

    git: Git

    def has(self, sha: str) -> bool:
        """The commit and its tree are here."""
        return self.git.ask("cat-file", "-e", sha + "^{tree}").code == 0

    def parents(self, sha: str) -> tuple[str, ...]:
        """The parents that the commit itself names, whether or not a shallow clone has them; empty when it is not here.

        `git log` and `git rev-parse` hide them at the border of a shallow clone.
        """
        answer = self.git.ask("cat-file", "commit", sha)
        if answer.code != 0:
            return ()
        header = answer.out.partition(b"\n\n")[0].decode("ascii", "replace")
        lines = (line.split(" ") for line in header.split("\n"))
        return tuple(words[1] for words in lines if words[0] == "parent" and len(words) == 2)

    def commit(self, ref: str) -> str | None:
        """The commit that a full ref name stands for here; None when there is none."""
        answer = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}")
        return answer.out.decode("ascii", "replace").strip() or None if answer.code == 0 else None

    def merged(self, base: str, head: str) -> str | None:
        """The tree of the merge of `head` into `base`, made without touching the working tree.

        Returns:
            The tree's object id; None where git cannot tell: a history too shallow, or a git before 2.38.

        Raises:
            CannotEvaluate: the two conflict.
        """
        answer = self.git.ask("merge-tree", "--write-tree", "--name-only", "--no-messages", base, head)
        lines = answer.out.decode("utf-8", "replace").splitlines()
        if answer.code == 1 and lines:
            files = ", ".join(lines[1:4]) or "some files"
            raise CannotEvaluate(f"the change does not merge: {files} conflict", "resolve the conflict, and push")
        return lines[0] if answer.code == 0 and lines else None
