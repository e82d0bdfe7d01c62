"""Patterns, links and submodules in every source of files."""

from gate.git.objects import Git
from gate.git.repository import TreeSource
from gate.prompts.files import FileSource
from tests.contract.sources.conftest import FILES, ODD, commits
from tests.support.pull_request import PullRequestWorld

DOTLESS = sorted(path for path in FILES if "." not in (path[0], path.rpartition("/")[2][0]))


FOUND = {
    "*": ["README.md", "binary.bin", "crlf.md", "empty.txt", "large.md", "latin.md", "tool.sh"],
    ".hidden/*": [".hidden/rules.md"],
    "-*/*": ["-folder/x.md"],
    "names/[[]b]*": ["names/[b]racket.md"],
    "names/[!a-zü]*": sorted(path for path in ODD if path[6] in "#(-:["),
    "a/*/*.md": ["a/b/wide.md"],
    "a/**": ["a/b/c/d/e/f/g/deep.md", "a/b/wide.md", "a/same.md"],
    "**/c/**/g/*": ["a/b/c/d/e/f/g/deep.md"],
    "alias.*": [],
    "a/linked/*": [],
    "vendored/**": [],
    "**/*.md": [path for path in DOTLESS if path.endswith(".md")],
    "**": DOTLESS,
}
"""By pattern; those that take the whole tree come last, since a source remembers what it has seen."""


def test_a_pattern_finds_plain_files(source: FileSource) -> None:
    for pattern, found in FOUND.items():
        assert source.glob(pattern) == found, pattern


NOT_FILES: dict[str, tuple[set[str], set[str]]] = {
    "*": ({"alias.md", "vendored"}, set()),
    "*.md": ({"alias.md"}, set()),
    "a/*": ({"a/linked"}, set()),
    "a/*/*.md": (set(), {"a/linked"}),
    "a/linked/*.md": (set(), {"a/linked"}),
    "vendored/deep/*.md": (set(), {"vendored"}),
    "a/b/**/*.md": (set(), set()),
    ".hidden/**": (set(), set()),
    "missing/*": (set(), set()),
    "**/*.md": ({"alias.md"}, {"a/linked", "vendored"}),
    "**": ({"alias.md", "a/linked", "vendored"}, set()),
}
"""By pattern: links and submodules that it matches, and those that it would lead into."""


def test_links_and_submodules_are_distinguished_from_files(source: FileSource, world: PullRequestWorld) -> None:
    ref, _ = commits(world, world.main_sha)
    kinds = {"alias.md": "120000", "a/linked": "120000", "vendored": ""}
    for pattern, (matched, behind) in NOT_FILES.items():
        exact = {path: ref.fingerprint(path) for path in {*matched, *({"vendored"} & behind)}}
        assert source.links(pattern) == {path: kinds[path] for path in behind} | exact, pattern


def test_a_link_that_leads_elsewhere_is_another_one(small: PullRequestWorld) -> None:
    def told(target: str) -> list[str]:
        (small.work / "x.md").unlink(missing_ok=True)
        (small.work / "x.md").symlink_to(target)
        tree = TreeSource(small.work, Git(small.work)).links("*.md")
        sha = small.commit_to_main({})
        return [found["x.md"] for found in (tree, *(source.links("*.md") for source in commits(small, sha)))]

    one, other = told("a.md"), told("../a.md")
    assert len(set(one)) == len(set(other)) == 1
    assert one != other


def test_where_a_link_leads_to(small: PullRequestWorld) -> None:
    ends = {
        "../a.md": "a.md",
        "./../a.md": "a.md",
        "../b": "b",
        "c.md": "d/c.md",
        "..": ".",
        "../l/a.md": "l/a.md",
        "/etc/passwd": None,
        "../../a.md": None,
        "../.git/config": None,
    }
    (small.work / "d").mkdir()
    for number, target in enumerate(ends):
        (small.work / f"d/link{number}").symlink_to(target)
    sha = small.commit_to_main({"b/c.md": "c"})
    for source in (*commits(small, sha), TreeSource(small.work, Git(small.work))):
        found = {target: source.leads_to(f"d/link{number}") for number, target in enumerate(ends)}
        assert found == ends
        assert source.leads_to("a.md") is None
        assert source.leads_to("none.md") is None


def test_a_listing_has_every_plain_file_whatever_its_name(source: FileSource) -> None:
    # The whole tree comes last, since a source remembers what it has seen.
    for folder in ("a/b", ".hidden", "nowhere", "README.md", ""):
        inside = {path for path in FILES if not folder or path.startswith(f"{folder}/")}
        found = source.listing(folder)
        assert found.keys() & FILES.keys() == inside, folder
        assert not found.keys() & {"link.md", "folder-link", "vendor/lib"}, folder
        # A working tree knows the object that a commit has.
        known = {path: seen for path, seen in found.items() if seen and not (source.sha is None and ":" in seen)}
        assert all(source.fingerprint(path) == seen for path, seen in known.items()), folder
