"""What a browser finds on a page."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "input", "br", "rect", "line", "path", "circle"}


@dataclass
class Found(HTMLParser):
    """Tags with their attributes, ids, and the texts of style and script."""

    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    raw: dict[str, str] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    crooked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.crooked.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script"):
            self.raw[self.open[-1]] = self.raw.get(self.open[-1], "") + data
        else:
            self.words.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def look(page: str) -> Found:
    found = Found()
    found.feed(page)
    found.close()
    return found
