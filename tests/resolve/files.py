"""Files in memory, for what reads both sides of a comparison."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.files import matches
from gate.prompts.files import content_fingerprint


@dataclass
class Files:
    """A source of files that notes what is read (`gate.prompts.files.FileSource`)."""

    texts: Mapping[str, str]
    label: str = "side"
    sha: str | None = None
    reads: list[str] = field(default_factory=list)

    def read(self, path: str) -> bytes | None:
        self.reads.append(path)
        return self.texts[path].encode() if path in self.texts else None

    def fingerprint(self, path: str) -> str | None:
        return content_fingerprint(self.texts[path].encode() if path in self.texts else None)

    def glob(self, pattern: str) -> list[str]:
        return sorted(path for path in self.texts if matches(path, pattern))

    def listing(self, folder: str = "") -> dict[str, str]:
        start = f"{folder}/" if folder else ""
        return {path: self.fingerprint(path) or "" for path in self.texts if path.startswith(start)}

    def links(self, pattern: str) -> dict[str, str]:
        return {}

    def leads_to(self, link: str) -> str | None:
        return None
