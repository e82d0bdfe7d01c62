"""Parts in the place of their includes: the same text as Jinja's own includes give, and lines that stay true."""

import posixpath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import DictLoader, Environment, StrictUndefined, nodes

from gate.limits import TEMPLATE_TAGS, WATCHED_TAGS
from gate.messages import Part, Parts
from gate.prompts import reading
from gate.prompts.version import Library
from gate.templates.rendering import Origin, compile_template, first_difference, first_part, located, names_in, resolved
from gate.templates.sandbox import BadTemplate, parsed, sandbox

NAMES = ("p.j2", "a.j2", "x/b.j2", "x/y/c.jinja", "x/d.md", "e.txt")
DATA: dict[str, object] = {"a": "A", "b": "B", "xs": ["1", "2"], "yes": True}
PIECES = st.sampled_from(
    [
        "text\n",
        " ",
        "{ ",
        "{# note\n #}",
        "{{ a }}",
        "{{- b -}}\n",
        "{% set a = a ~ '+' %}",
        "{% set n = 'n' %}{{ n }}",
        "{% for a in xs %}{{ a }}{% endfor %}",
        "{% if a == 'A' and not missing is defined %}{{ xs[0] | lower }}{% elif a %}{{ (a, b) | join }}{% endif %}",
        "{% raw %}{{ a }}{% endraw %}",
        "\n",
    ]
)
AROUND = ("{}", "{{% if yes %}}{}{{% endif %}}", "{{% for b in xs %}}{}{{% endfor %}}")


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    """Files of which each includes only later ones: text and tags, includes in loops and branches, all whitespace."""
    files = {}
    for number, name in enumerate(NAMES):
        pieces = draw(st.lists(PIECES, max_size=5))
        if name.endswith((".md", ".txt")):
            files[name] = "".join(piece for piece in pieces if "raw" not in piece)
            continue
        for target in draw(st.lists(st.sampled_from(NAMES[number + 1 :]), max_size=3)):
            relative = posixpath.relpath(target, posixpath.dirname(name) or ".")
            path = draw(st.sampled_from([relative, f"/{target}", f"./{relative}"]))
            tag = draw(st.sampled_from(["{{% include '{}' %}}", "{{%- include '{}' -%}}"])).format(path)
            around = draw(st.sampled_from(AROUND))
            pieces.insert(draw(st.integers(0, len(pieces))), around.format(tag))
        files[name] = "".join(pieces)
    return files


class Relative(Environment):
    """Jinja's own includes, by the rule that paths are relative to the file that includes."""

    def join_path(self, template: str, parent: str) -> str:
        folder = "" if template.startswith("/") else posixpath.dirname(parent)
        return posixpath.normpath(posixpath.join(folder, template.lstrip("/")))


def by_jinja(files: dict[str, str]) -> str:
    plain = {
        name: text if name.endswith((".j2", ".jinja")) else "{% raw %}" + text.removesuffix("\n") + "{% endraw %}"
        for name, text in files.items()
    }
    environment = Relative(loader=DictLoader(plain), undefined=StrictUndefined, autoescape=False)
    return environment.get_template("p.j2").render(DATA)


def read(files: dict[str, str], path: str = "p.j2") -> reading.Prompt:
    data = {name: text.encode() for name, text in files.items()}
    return reading.parse(files[path], path, library=Library(path, data.get))


@given(trees())
def test_random_trees_render_as_jinja_includes_do(files: dict[str, str]) -> None:
    files["p.j2"] += "end"  # an empty file is no prompt
    prompt = read(files)
    assert compile_template(prompt.messages[0].content, prompt.parts).render(DATA) == by_jinja(files)


@given(trees(), st.sampled_from(NAMES[1:]))
def test_the_digest_changes_with_each_part_that_is_used_and_no_other(files: dict[str, str], name: str) -> None:
    files["p.j2"] += "end"
    before = read(files)
    used = {part.path for part in before.parts.files}
    after = read(files | {name: files[name] + "more"})
    assert (after.digest != before.digest) == (name in used)


@given(trees())
def test_an_error_is_reported_at_its_own_file_and_line(files: dict[str, str]) -> None:
    files["p.j2"] += "end"
    known = [part for part in read(files).parts.files if part.template]
    for part in known:
        line = files[part.path].count("\n") + 2
        prompt = read(files | {part.path: files[part.path] + "\n{{ missing }}"})
        with pytest.raises(BadTemplate) as caught:
            compile_template(prompt.messages[0].content, prompt.parts).render(DATA)
        assert (caught.value.file, caught.value.line) == (part.path, line)
        assert caught.value.undefined


@given(st.text(st.sampled_from("./ab\\:\0\n\u2028-"), max_size=12), st.sampled_from(["p.j2", "x/p.j2", "x/y/p.j2"]))
@settings(max_examples=30)
def test_no_path_leads_out_of_the_root(name: str, within: str) -> None:
    path, reason = resolved(within, name)
    assert bool(path) != bool(reason)
    if path:
        assert path == posixpath.normpath(path)
        assert not path.startswith(("/", "..")) and ".." not in path.split("/")
        assert not set(path) & set("\\\0\n\u2028")


@pytest.mark.parametrize(
    ("within", "name", "path"),
    [
        ("prompts/p.j2", "_tone.md", "prompts/_tone.md"),
        ("prompts/p.j2", "./_tone.md", "prompts/_tone.md"),
        ("prompts/x/p.j2", "../_tone.md", "prompts/_tone.md"),
        ("prompts/p.j2", "/shared/tone.md", "shared/tone.md"),
        ("prompts/p.j2", "../../tone.md", ""),
        ("prompts/p.j2", "/../tone.md", ""),
        ("prompts/p.j2", "//etc/passwd", ""),
        ("p.j2", ".git/config", ""),
        ("p.j2", "/x/../.GIT/config", ""),
        ("p.j2", "C:\\x", ""),
        ("p.j2", "C:/x", ""),
        ("p.j2", "", ""),
        ("p.j2", "/", ""),
        ("p.j2", ".", ""),
        ("p.j2", "x" * 2000, ""),
        ("p.j2", "\ud800", ""),
    ],
)
def test_paths(within: str, name: str, path: str) -> None:
    assert resolved(within, name)[0] == path


@pytest.mark.parametrize(
    ("tag", "reason"),
    [
        ("{% include input %}", "'include' takes a literal path"),
        ("{% include 'a' ~ input %}", "'include' takes a literal path"),
        ("{% include ['a', 'b'] %}", "'include' takes a literal path"),
        ("{% include 'a' ignore missing %}", "'ignore missing' is not supported"),
        ("{% include 'a' without context %}", "'without context' is not supported"),
        ("{% include 'a' with context %}", ""),
    ],
)
def test_forms_of_the_tag(tag: str, reason: str) -> None:
    line, _, found = next(names_in(parsed(sandbox(), f"\n{tag}")))
    assert line == 2
    assert found.startswith(reason) and bool(found) == bool(reason)


def test_what_a_part_sets_stays_in_it() -> None:
    parts = Parts("p.j2", (Part("a.j2", "{% set x = 2 %}{{ x }}{{ y }}", template=True),))
    text = "{% set x = 1 %}{% set y = 3 %}{% include 'a.j2' %}{{ x }}"
    assert compile_template(text, parts).render({}) == "231"
    assert compile_template("{% include 'a.j2' %}", parts).names == {"y"}


def test_braces_of_a_part_open_nothing_behind_it() -> None:
    parts = Parts("p.j2", (Part("a.j2", "{", template=True), Part("b.md", "{% raw %}{{")))
    text = "{% include 'a.j2' %}{ x }}{% include 'b.md' %} y }}"
    assert compile_template(text, parts).render({}) == "{{ x }}{% raw %}{{ y }}"


def test_loops_of_all_parts_are_counted_together() -> None:
    loop = "{% for i in range(60000) %}{% endfor %}"
    parts = Parts("p.j2", (Part("a.j2", loop, template=True),))
    assert compile_template("{% include 'a.j2' %}", parts).render({}) == ""
    with pytest.raises(BadTemplate, match="loops have more than 100,000 iterations"):
        compile_template(loop + "{% include 'a.j2' %}", parts).render({})


def test_the_first_difference_names_the_part_and_its_line() -> None:
    inner = Part("x/b.j2", "\n{{ b }}", template=True)
    outer = Part("a.j2", "same\n\n{% include 'x/b.j2' %}", template=True)
    parts = Parts("p.j2", (outer, inner, Part("c.md", "{{ b }}")))
    text = "{% include 'c.md' %}{{ a }}\n{% include 'a.j2' %}"
    assert first_difference(text, DATA, DATA | {"b": "other"}, parts) == Origin(2, "b", "x/b.j2")
    assert first_difference(text, DATA, DATA | {"a": "other"}, parts) == Origin(1, "a")
    assert first_part(text, DATA, parts) == (len("{{ b }}"), Origin(1, "a"))
    assert first_part("{% include 'a.j2' %}", DATA, parts) == (len("same\n\n\n"), Origin(2, "b", "x/b.j2"))


def test_a_template_whose_parts_hold_many_tags_is_not_watched() -> None:
    parts = Parts("p.j2", (Part("a.j2", "{{ a }}" + "{{ 1 }}" * (WATCHED_TAGS // 2), template=True),))
    assert first_difference("{% include 'a.j2' %}" * 2, DATA, DATA | {"a": "x"}, parts) is None


def test_lines_behind_the_last_part_are_nowhere() -> None:
    parts = Parts("p.j2", (Part("a.md", "1\r2\r\n3"),))
    assert [located("x\ny", parts, line) for line in (0, 2, 3, 5, 6)] == [
        ("", 0),
        ("", 2),
        ("a.md", 1),
        ("a.md", 3),
        ("", 0),
    ]
    assert isinstance(parsed(sandbox(), "x"), nodes.Template)


def test_a_template_has_only_so_many_tags() -> None:
    with pytest.raises(BadTemplate, match="at most 5,000 tags"):
        compile_template("{{ a }}" * TEMPLATE_TAGS + "{% if a %}{% endif %}")


def test_tags_of_a_part_count_as_often_as_it_is_used() -> None:
    part = Part("a.j2", "{{ 1 }}" * 100, template=True)
    include = "{% include 'a.j2' %}"
    compile_template(include * 2, Parts("p.j2", (part,)))
    with pytest.raises(BadTemplate, match="at most 5,000 tags"):
        compile_template(include * 50, Parts("p.j2", (part,)))
