"""Links of a page, and the anchors that GitHub and the site give its headings."""

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#* *$", re.MULTILINE)
_WORDS = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Link:
    """One link.

    Args:
        path: relative to the page; empty for the page itself.
        anchor: a heading there; empty for its top.
    """

    path: str
    anchor: str

    @property
    def elsewhere(self) -> bool:
        """It leads out of the repository."""
        return re.match(r"[a-z][a-z+.-]*:", self.path) is not None


def links(page: str) -> list[Link]:
    """All links and images of a page, without those in code.

    Args:
        page: its Markdown.
    """
    # What stands in code may be the words of a link: they go, and the link stays.
    text = _CODE.sub("`code`", _FENCE.sub("", page))
    return [Link(target.partition("#")[0], target.partition("#")[2]) for target in _LINK.findall(text)]


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them.

    Args:
        page: its Markdown.
    """
    found: set[str] = set()
    seen: dict[str, int] = {}
    for heading in _HEADING.findall(_FENCE.sub("", page)):
        plain = _WORDS.sub(r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        again = seen.get(slug, 0)
        seen[slug] = again + 1
        found.add(f"{slug}-{again}" if again else slug)
    return found
