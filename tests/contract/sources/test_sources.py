"""What every source of files promises, whether it is git, the working tree or GitHub."""

import pytest

from gate.errors import CannotEvaluate, InputErrors
from gate.git.command import Git
from gate.git.sources import RefSource, TreeSource
from gate.github.client import ApiError, GitHub
from gate.github.source import GitHubSource, GitHubStore
from gate.inputs.limits import FILE_BYTES
from gate.inputs.source import FileSource
from gate.inputs.text import decode
from tests.contract.sources.conftest import FILES, ODD, github_source, made
from tests.support.github_server import GitHubServer
from tests.support.github_state import WORKFLOW_TOKEN
from tests.support.pull_request import PullRequestWorld

LEAVING = ("/etc/passwd", "../x", "a/../../x", "a/..", ".git/config", ".GIT/config", "a/.git/x", "a\0b", "", ".")


@pytest.mark.parametrize("path", FILES)
def test_a_file_is_read_byte_by_byte(source: FileSource, path: str) -> None:
    assert source.read(path) == FILES[path]


@pytest.mark.parametrize("path", ["./names//with space.md", "names/with space.md/", "names/./with space.md"])
def test_a_path_may_be_written_in_other_ways(source: FileSource, path: str) -> None:
    assert source.read(path) == FILES["names/with space.md"]
    assert source.fingerprint(path) == source.fingerprint("names/with space.md")


@pytest.mark.parametrize(
    "path",
    [
        "missing.md",
        "names/missing.md",
        "missing/folder/x.md",
        "README.md/below",
        "readme.md",
        "names/s*.md",
        "names/wit? space.md",
        "names/per cent.md",
        ":(top)README.md",
        "-x",
        "--help",
    ],
)
def test_what_is_not_there(source: FileSource, path: str) -> None:
    assert source.read(path) is None
    assert source.fingerprint(path) is None


@pytest.mark.parametrize("path", LEAVING)
def test_no_path_leaves_the_repository(source: FileSource, path: str) -> None:
    for ask in (source.read, source.fingerprint, source.glob):
        with pytest.raises(InputErrors, match="name a file inside the repository"):
            ask(path)


@pytest.mark.parametrize("path", ["names", "a/b/c", ".hidden"])
def test_a_folder_is_not_read(source: FileSource, path: str) -> None:
    with pytest.raises(InputErrors, match=f"{path}: is a folder"):
        source.read(path)


@pytest.mark.parametrize(
    ("path", "kind"), [("alias.md", "a symbolic link"), ("a/linked", "a symbolic link"), ("vendored", "a submodule")]
)
def test_a_commit_has_links_and_submodules_that_are_not_read(commit: FileSource, path: str, kind: str) -> None:
    with pytest.raises(InputErrors, match=f"origin/main:{path}: is {kind}"):
        commit.read(path)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("vendored/inside.md", "lies in the submodule 'vendored', which the gate does not read"),
        ("vendored/deep/inside.md", "lies in the submodule 'vendored'"),
        ("a/linked/wide.md", "lies behind the symbolic link 'a/linked'"),
        ("a/linked/c/d/none.md", "lies behind the symbolic link 'a/linked'"),
        ("alias.md/below", "lies behind the symbolic link 'alias.md'"),
    ],
)
def test_a_link_or_a_submodule_on_the_way_is_named(source: FileSource, path: str, said: str) -> None:
    with pytest.raises(InputErrors, match=f"{path}: {said}"):
        source.read(path)


@pytest.mark.parametrize("path", ["vendored/inside.md", "a/linked/wide.md"])
def test_behind_links_and_submodules_a_commit_has_no_files(commit: FileSource, path: str) -> None:
    assert commit.fingerprint(path) is None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("binary.bin", "binary.bin:1: is not a text file .it holds NUL bytes"),
        ("latin.md", "latin.md:2: is not UTF-8 text"),
        ("large.md", "large.md:1: is a Git LFS pointer, not the file itself"),
    ],
)
def test_what_is_no_text_is_named_wherever_it_was_read(source: FileSource, path: str, said: str) -> None:
    data = source.read(path)
    assert data is not None
    with pytest.raises(InputErrors, match=said):
        decode(data, path)


DOTLESS = sorted(path for path in FILES if "." not in (path[0], path.rpartition("/")[2][0]))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*", ["README.md", "binary.bin", "crlf.md", "empty.txt", "large.md", "latin.md", "tool.sh"]),
        ("*.md", ["README.md", "crlf.md", "large.md", "latin.md"]),
        ("./*.md", ["README.md", "crlf.md", "large.md", "latin.md"]),
        ("README.md", ["README.md"]),
        ("**", DOTLESS),
        ("**/*.md", [path for path in DOTLESS if path.endswith(".md")]),
        ("names/*", sorted(ODD)),
        ("names/.*", ["names/.dot.md"]),
        (".hidden/*", [".hidden/rules.md"]),
        (".hidden/**", [".hidden/rules.md"]),
        (".hidden/.*/*.md", [".hidden/.deeper/rules.md"]),
        ("names/-*", ["names/-dash.md"]),
        ("-*/*", ["-folder/x.md"]),
        ("names/[[]b]*", ["names/[b]racket.md"]),
        ("[[]x]/*", ["[x]/y.md"]),
        ("[x]/y.md", []),
        ("names/ünï*", ["names/ünï \U0001f600.md"]),
        ("names/?hash.md", ["names/#hash.md"]),
        ("names/[!a-zü]*", sorted(path for path in ODD if path[6] in "#(-:[")),
        ("a/**", ["a/b/c/d/e/f/g/deep.md", "a/b/wide.md", "a/same.md"]),
        ("a/**/*.md", ["a/b/c/d/e/f/g/deep.md", "a/b/wide.md", "a/same.md"]),
        ("a/*/*.md", ["a/b/wide.md"]),
        ("a/b/*/d/**/deep.md", ["a/b/c/d/e/f/g/deep.md"]),
        ("**/c/**/g/*", ["a/b/c/d/e/f/g/deep.md"]),
        ("names", []),
        ("*.missing", []),
        ("missing/*", []),
        ("README.md/*", []),
        ("alias.*", []),
        ("a/linked/*", []),
        ("vendored/**", []),
    ],
)
def test_a_pattern_finds_plain_files(source: FileSource, pattern: str, found: list[str]) -> None:
    assert source.glob(pattern) == found


def test_what_a_pattern_finds_can_be_read(source: FileSource) -> None:
    assert {path: source.read(path) for path in source.glob("**")} == {path: FILES[path] for path in DOTLESS}


@pytest.mark.parametrize(
    ("pattern", "matched", "behind"),
    [
        ("*", {"alias.md", "vendored"}, set()),
        ("*.md", {"alias.md"}, set()),
        ("**", {"alias.md", "a/linked", "vendored"}, set()),
        ("**/*.md", {"alias.md"}, {"a/linked", "vendored"}),
        ("a/*", {"a/linked"}, set()),
        ("a/*/*.md", set(), {"a/linked"}),
        ("a/linked/*.md", set(), {"a/linked"}),
        ("vendored/deep/*.md", set(), {"vendored"}),
        ("a/b/**/*.md", set(), set()),
        (".hidden/**", set(), set()),
        ("missing/*", set(), set()),
    ],
)
def test_links_and_submodules_are_told_apart_from_files(
    source: FileSource, world: PullRequestWorld, pattern: str, matched: set[str], behind: set[str]
) -> None:
    ref = made("ref", world)
    kinds = {"alias.md": "120000", "a/linked": "120000", "vendored": "160000"}
    exact = {path: ref.fingerprint(path) for path in matched}
    assert source.links(pattern) == exact | {path: kinds[path] for path in behind}


def test_a_link_that_leads_elsewhere_is_another_one(small: PullRequestWorld) -> None:
    def told(target: str) -> list[str]:
        (small.work / "x.md").unlink(missing_ok=True)
        (small.work / "x.md").symlink_to(target)
        tree = TreeSource(small.work, Git(small.work)).links("*.md")
        sha = small.commit_to_main({})
        store = GitHubStore(GitHub(WORKFLOW_TOKEN, small.server.url, small.repo.full_name))
        commits = [RefSource("x", sha, Git(small.work)), GitHubSource("x", sha, store)]
        return [found["x.md"] for found in (tree, *(source.links("*.md") for source in commits))]

    one, other = told("a.md"), told("../a.md")
    assert len(set(one)) == len(set(other)) == 1
    assert one != other


@pytest.mark.parametrize(
    ("target", "end"),
    [
        ("../a.md", "a.md"),
        ("./../a.md", "a.md"),
        ("../b", "b"),
        ("c.md", "d/c.md"),
        ("..", "."),
        ("../l/a.md", "l/a.md"),
        ("/etc/passwd", None),
        ("../../a.md", None),
        ("../.git/config", None),
    ],
)
def test_where_a_link_leads_to(small: PullRequestWorld, target: str, end: str | None) -> None:
    (small.work / "d").mkdir()
    (small.work / "d/link").symlink_to(target)
    sha = small.commit_to_main({"b/c.md": "c"})
    store = GitHubStore(GitHub(WORKFLOW_TOKEN, small.server.url, small.repo.full_name))
    git = Git(small.work)
    for source in (RefSource("x", sha, git), TreeSource(small.work, git), GitHubSource("x", sha, store)):
        assert source.leads_to("d/link") == end
        assert source.leads_to("a.md") is None
        assert source.leads_to("none.md") is None


@pytest.mark.parametrize("folder", ["", "a/b", ".hidden", "nowhere", "README.md"])
def test_a_listing_has_every_plain_file_whatever_its_name(source: FileSource, folder: str) -> None:
    inside = {path for path in FILES if not folder or path.startswith(f"{folder}/")}
    found = source.listing(folder)
    assert found.keys() & FILES.keys() == inside
    assert not found.keys() & {"link.md", "folder-link", "vendor/lib"}
    assert all(known in ("", source.fingerprint(path)) for path, known in found.items())


def test_sizes_are_those_of_what_is_read(source: FileSource) -> None:
    assert source.sizes([*FILES, "names", "nowhere.md"]) == {path: len(data) for path, data in FILES.items()}
    assert source.sizes([]) == {}


def test_equal_content_has_an_equal_fingerprint(source: FileSource) -> None:
    assert source.fingerprint("README.md") == source.fingerprint("a/same.md")
    prints = {path: source.fingerprint(path) for path in FILES}
    assert None not in prints.values()
    assert len(set(prints.values())) == len(FILES) - 1


def test_fingerprints_of_different_sources_never_lie(world: PullRequestWorld) -> None:
    sources = [made(kind, world) for kind in ("ref", "tree", "github")]
    content: dict[str | None, bytes] = {}
    for source in sources:
        for path, data in FILES.items():
            assert content.setdefault(source.fingerprint(path), data) == data


def test_a_clone_and_github_agree_on_fingerprints(world: PullRequestWorld) -> None:
    ref, github = made("ref", world), made("github", world)
    for path in (*FILES, "alias.md", "a/linked", "vendored", "names", "a"):
        assert ref.fingerprint(path), path
        assert ref.fingerprint(path) == github.fingerprint(path), path


def test_a_fingerprint_tells_a_change_of_content_or_kind(small: PullRequestWorld) -> None:
    old = small.main_sha
    same = small.commit_to_main({"b.md": "b"})
    edited = small.commit_to_main({"a.md": "A"})
    (small.work / "a.md").write_text("a")
    (small.work / "a.md").chmod(0o755)
    executable = small.commit_to_main({})

    def sources(sha: str) -> list[FileSource]:
        store = GitHubStore(GitHub(WORKFLOW_TOKEN, small.server.url, small.repo.full_name))
        return [RefSource("x", sha, Git(small.work)), GitHubSource("x", sha, store)]

    for before in sources(old):
        for after in sources(same):
            assert before.fingerprint("a.md") == after.fingerprint("a.md")
        for after in (*sources(edited), *sources(executable)):
            assert before.fingerprint("a.md") != after.fingerprint("a.md")


def test_a_huge_file_is_refused_before_it_is_read(small: PullRequestWorld) -> None:
    for name, size in (("huge.md", FILE_BYTES + 1), ("large.md", 5_000_000)):
        with (small.work / name).open("wb") as file:
            file.truncate(size)
    sha = small.commit_to_main({})
    git, client = Git(small.work), GitHub(WORKFLOW_TOKEN, small.server.url, small.repo.full_name)
    github = GitHubSource("x", sha, GitHubStore(client))
    for source in (RefSource("x", sha, git), TreeSource(small.work, git), github):
        with pytest.raises(InputErrors, match=r"huge\.md: is larger than 64 MiB"):
            source.read("huge.md")
        # GitHub gives files above 1 MB as a blob, and not as contents.
        assert source.read("large.md") == bytes(5_000_000)
    path = f"/repos/{small.repo.full_name}/git/blobs/"
    assert len(small.server.requests("GET", path)) == 1


def test_names_and_commits(world: PullRequestWorld) -> None:
    named = {kind: made(kind, world) for kind in ("ref", "tree", "github")}
    assert {kind: source.sha for kind, source in named.items()} == {
        "ref": world.main_sha,
        "tree": None,
        "github": world.main_sha,
    }
    assert [source.label for source in named.values()] == ["origin/main", "working tree", "origin/main"]


def test_github_is_asked_once_for_each_thing(world: PullRequestWorld, server: GitHubServer) -> None:
    source, start = made("github", world), len(server.ledger)
    for _ in range(2):
        source.fingerprint("a/b/wide.md")
        source.glob("a/**/*.md")
    asked = [entry.path for entry in server.ledger[start:]]
    assert not any("/git/blobs/" in path for path in asked)
    for _ in range(2):
        source.read("README.md")
        source.read("a/same.md")
    asked = [(entry.path, entry.query.get("recursive")) for entry in server.ledger[start:]]
    assert len(asked) == len(set(asked))
    assert sum("/git/blobs/" in path for path, _ in asked) == 1


def test_a_pattern_lists_no_more_than_its_folder(world: PullRequestWorld, server: GitHubServer) -> None:
    source, start = made("github", world), len(server.ledger)
    source.glob("a/b/*.md")
    asked = [entry for entry in server.ledger[start:] if "recursive" in entry.query]
    assert len(asked) == 1
    assert "wide.md" in {row["path"] for row in asked[0].reply["tree"]}


def test_a_folder_that_github_cuts_short_is_an_error_and_not_a_missing_file(small: PullRequestWorld) -> None:
    sha = small.commit_to_main({f"dir/{number}.md": str(number) for number in range(5)})
    small.server.tree_limit = 3
    source = GitHubSource("x", sha, GitHubStore(GitHub(WORKFLOW_TOKEN, small.server.url, small.repo.full_name)))
    assert source.read("dir/0.md") == b"0"
    for ask in (lambda: source.read("dir/4.md"), lambda: source.fingerprint("dir/z"), lambda: source.glob("dir/*")):
        with pytest.raises(CannotEvaluate, match="GitHub does not list all of dir") as caught:
            ask()
        assert "fetch-depth: 2" in caught.value.hint


def test_a_tree_that_github_cuts_short_is_walked_to_a_limit(small: PullRequestWorld) -> None:
    sha = small.commit_to_main({f"d{number // 30}/{number}/x.md": "x" for number in range(540)})
    small.server.tree_limit = 40
    source = GitHubSource("x", sha, GitHubStore(GitHub(WORKFLOW_TOKEN, small.server.url, small.repo.full_name)))
    assert len(source.glob("d1/**")) == 30
    with pytest.raises(CannotEvaluate, match="GitHub does not list all of the repository"):
        source.glob("**/*.md")


def test_an_unknown_commit_is_an_error(server: GitHubServer, world: PullRequestWorld) -> None:
    source = github_source(server, "0" * 40)
    for ask in (source.read, source.fingerprint, source.glob):
        with pytest.raises(ApiError, match="cannot list the files of 000000000000: GitHub answered 404"):
            ask("README.md")
    with pytest.raises(CannotEvaluate):
        RefSource("gone", "0" * 40, Git(world.work)).read("README.md")
