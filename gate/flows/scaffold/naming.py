"""Names of suites in the making: of their prompts, of the folders these are in, each once."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

_GENERAL = frozenset("prompt system system_prompt system-prompt main default index".split())
"""Names that say less than that of the folder."""
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(slots=True)
class Names:
    """Names of suites, each given once, in whatever letters: they name folders, too.

    Args:
        taken: names that were given.
        shared: those that several prompts would have.
    """

    taken: set[str] = field(default_factory=set)
    shared: frozenset[str] = frozenset()

    def expect(self, paths: Iterable[str]) -> None:
        """Where several of these prompts have one name, each of them gets its folder before it, the first one, too."""
        seen = Counter(bare(PurePosixPath(path).name).lower() for path in paths)
        self.shared = frozenset(name for name, count in seen.items() if count > 1)

    def of(self, path: str) -> str:
        """A name for the suite of a prompt or pattern."""
        place = PurePosixPath(path)
        folders = [part for part in place.parts[:-1] if part not in ("prompts", "prompt", "src")]
        stem = bare(place.name)
        if stem.lower() in _GENERAL and folders:
            return self.free(folders[-1], folders)
        if stem.lower() in self.shared and folders:
            return self.free(f"{safe(folders[-1])}-{stem}", folders)
        return self.free(stem, folders)

    def free(self, start: str, folders: Sequence[str] = ()) -> str:
        """This name, or with folders before it or a number behind it where it is taken."""
        name = safe(start)
        for folder in reversed(folders):
            if name.lower() in self.taken and safe(folder) not in name.split("-"):
                name = f"{safe(folder)}-{name}"
        first, number = name, 1
        while name.lower() in self.taken:
            number += 1
            name = f"{first}-{number}"
        self.taken.add(name.lower())
        return name


def bare(name: str) -> str:
    """A file's name without what is only its kind: `support` of `support.prompt.yml`."""
    for ending in (".j2", ".jinja2", ".jinja", ".md", ".txt", ".yaml", ".yml", ".json", ".prompty", ".prompt"):
        if name.lower().endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
    return name


def safe(text: str) -> str:
    """A name that a suite, a folder and a shell take as it is."""
    return _UNSAFE.sub("-", text).strip("-._")[:60] or "prompt"
