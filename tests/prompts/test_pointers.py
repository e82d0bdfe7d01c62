"""Texts inside files of code and settings: what is read, exactly, and what is not."""

import json
import string
import textwrap
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.config.values import pointer_of
from gate.errors import InputErrors
from gate.limits import CODE_CHARS
from gate.prompts.placeholders import template_source
from gate.prompts.pointers import PointedText, may_have, pointed_text, pointed_texts
from gate.prompts.version import PlaceholderRules
from gate.report.escape import terminal_text
from gate.templates.rendering import compile_template


def read(content: str, name: str = "A", path: str = "app/a.py") -> PointedText:
    return pointed_text(content, path, name, f"main:{path}")


def mistake(content: str, name: str = "A", path: str = "app/a.py") -> str:
    with pytest.raises(InputErrors) as caught:
        read(content, name, path)
    return str(caught.value)


def rendered(found: PointedText, **values: str) -> str:
    return compile_template(found.text).render(values) if found.template else found.text


@pytest.mark.parametrize(
    ("prompt", "path", "name"),
    [
        ("a/b.py::C.d", "a/b.py", "C.d"),
        ("a/b.py", "", ""),
        ("python:a.b:c", "", ""),
        ("prompts/*.md", "", ""),
    ],
)
def test_a_pointer_is_distinguished_from_other_prompts(prompt: str, path: str, name: str) -> None:
    found = pointer_of(prompt)
    assert (found is None and not path) or (found is not None and (found.path, found.name) == (path, name))


def test_a_name_that_is_copied_from_a_terminal_is_the_same() -> None:
    assert pointer_of(terminal_text("a/b.py::C")) == pointer_of("a/b.py::C")


CODE = '''
import os
from textwrap import dedent
ROLE = "a helper"
A = "You are " + ROLE + (" of {name}." "!")
B: str = dedent("""
    One
      two
""").strip()
C = "\\n".join(["x", ROLE, "y"])
D = "{role}, {{}} {}".format("z", role=ROLE)
E = f"{ROLE} {os.sep} {len(items)!r}"
F = {"k": "v", "in": {"ner": f"{ROLE}"}, 1: "x"}
F["later"] = "w"
class G:
    a = "g"
    b = f"{a} {F['k']}"
    class H:
        c = "h"
    def i(self, user):
        """Doc."""
        start = "Hi"
        return f"{start} {user.name}" + user.title + self.tone
if os.name == "posix":
    J = "j"
K = L = "both"
M, N = "m", "n"
def o(x, y="1"):
    return """{x}""" + x
'''


@pytest.mark.parametrize(
    ("name", "text", "variables"),
    [
        ("A", "You are a helper of {{ name }}.!", ("name",)),
        ("B", "One\n  two", ()),
        ("C", "x\na helper\ny", ()),
        ("D", "a helper, {} z", ()),
        ("E", "a helper {{ os_sep }} {{ len_items }}", ("os_sep", "len_items")),
        ("F.k", "v", ()),
        ("F.in.ner", "a helper", ()),
        ("F.later", "w", ()),
        ("G.a", "g", ()),
        ("G.b", "g v", ()),
        ("G.H.c", "h", ()),
        ("G.i", "Hi {{ user_name }}{{ user_title }}{{ self_tone }}", ("user_name", "user_title", "self_tone")),
        ("J", "j", ()),
        ("L", "both", ()),
        ("o", "{x}{{ x }}", ("x",)),
    ],
)
def test_what_is_read_of_python(name: str, text: str, variables: tuple[str, ...]) -> None:
    found = read(CODE, name)
    assert (found.text, found.variables, found.template) == (text, variables, bool(variables))
    assert found in pointed_texts(CODE, "app/a.py")


SCRIPT = """
const ROLE = 'a helper';
export const A = `You are ${ROLE} of ${user.name}: \\u{1F600} {x}`;
let b = "x" + ROLE as const;
export const prompts = { system: "s {name}", 'a b': `t`,
  deep: { c: String.raw`\\n` } satisfies X, d(x) { return `d ${x}`; } };
class E { static system = "e"; f = 'f'; static g({ name }: { name: string }) { const h = "H"; return h + `${name}`; } }
export const j = (a: string, { b, ...c }) => `${a} ${b} ${c.d} ${len(e)}`;
export function k() { return ["1", ROLE].join("\\n").trim(); }
const l = Object.freeze({ m: dedent`
    One
      ${ROLE}` });
module.exports = { n: "n" };
prompts.later = "w";
export default "def";
"""


@pytest.mark.parametrize(
    ("name", "text", "variables"),
    [
        ("A", "You are a helper of {{ user_name }}: 😀 {x}", ("user_name",)),
        ("b", "xa helper", ()),
        ("prompts.system", "s {{ name }}", ("name",)),
        ("prompts.a b", "t", ()),
        ("prompts.deep.c", "\\n", ()),
        ("prompts.d", "d {{ x }}", ("x",)),
        ("prompts.later", "w", ()),
        ("E.system", "e", ()),
        ("E.g", "H{{ name }}", ("name",)),
        ("j", "{{ a }} {{ b }} {{ c_d }} {{ len_e }}", ("a", "b", "c_d", "len_e")),
        ("k", "1\na helper", ()),
        ("l.m", "One\n  a helper", ()),
        ("module.exports.n", "n", ()),
        ("default", "def", ()),
    ],
)
def test_what_is_read_of_typescript(name: str, text: str, variables: tuple[str, ...]) -> None:
    found = read(SCRIPT, name, "a.ts")
    assert (found.text, found.variables) == (text, variables)
    plain = SCRIPT.replace(" as const", "").replace(" satisfies X", "").replace("a: string", "a")
    assert read(plain.replace(": { name: string }", ""), name, "a.jsx").text == text


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("{name}", "{{ name }}"),
        ("{{name}} {x}", "{name} {{ x }}"),
        ("{{ name }} {x}", "{{ name }} {x}"),
        ("{{name}} only", "{{name}} only"),
        ("{% if a %}{{ a.b | upper }}{% endif %}", "{% if a %}{{ a.b | upper }}{% endif %}"),
        ("{{#each x}}{{ name }}", "{{ '{' }}{{ '{' }}#each x}}{{ name }}"),
        ('{"a": {b}}', '{"a": {{ b }}}'),
        ("%(a)s %% {b}", "{{ a }} % {b}"),
        ("100 % of %(a)s", "100 % of %(a)s"),
        ("{a:.2f} {b!r}", "{{ a }} {{ b }}"),
        ("{a: text} {b}", "{a: text} {{ b }}"),
        ("{class} {__x}", "{{ class_ }} {{ x }}"),
        ("{a.b} {0} {}", "{a.b} {0} {}"),
        ("${a}", "${{ a }}"),
        ("{}{", "{}{"),
        ("", ""),
    ],
)
def test_placeholders_are_reported_by_how_they_are_written(text: str, source: str) -> None:
    assert template_source((text,)).text == source


def test_the_suite_may_say_how_placeholders_are_reported() -> None:
    assert template_source(("{a} {{ b }}",), PlaceholderRules(template=False)).text == "{a} {{ b }}"
    assert template_source(("{a} {{ b }}",), PlaceholderRules(template=True)).text == "{a} {{ b }}"
    kept = template_source(("{a} {b}",), PlaceholderRules(kept=frozenset({"a"})))
    assert (kept.text, kept.variables) == ("{a} {{ b }}", ("b",))


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
braces = st.text(st.sampled_from("{}%#$\\'\"`\n\r\t -()a.é😀|"), min_size=1)


def yaml_of(text: str) -> str:
    return f"a: {json.dumps(text)}\n"


def script_of(text: str) -> str:
    for sign in ("\\", "`", "$"):
        text = text.replace(sign, f"\\{sign}")
    return f"const a = `{text}`;\n".replace("\r", "\\r")


@given(texts | braces)
@example("{{ x }")
@example("{")
@example("a\r\nb")
def test_a_text_survives_in_every_language(text: str) -> None:
    for content, path in (
        (f"a = {text!r}\n", "a.py"),
        (script_of(text), "a.ts"),
        (f"const a = {json.dumps(text)}\n", "a.js"),
        (yaml_of(text), "a.yaml"),
        (json.dumps({"a": text}), "a.json"),
    ):
        try:
            found = pointed_text(content, path, "a", path)
        except InputErrors:
            # YAML has fewer characters than other languages.
            assert path == "a.yaml"
            continue
        assert found.plain == text
        values = {name: f"{{{name}}}" for name in found.variables}
        if not found.variables and not found.template:
            assert found.text == text
        elif "{{" not in text and "%" not in text and "}}" not in text:
            assert rendered(found, **values) == text


@given(st.lists(texts | braces), st.lists(st.sampled_from(["name", "items", "a1"]), min_size=1))
def test_literal_text_next_to_a_placeholder_renders_to_itself(parts: list[str], names: list[str]) -> None:
    pieces = [repr(part) for part in parts] + [f"f'{{{name}}}'" for name in names]
    content = f"def a(name, items, a1):\n    return {' + '.join(pieces) or repr('')}\n"
    found = read(content, "a")
    values = {name: f"<{name}>" for name in ("name", "items", "a1")}
    assert rendered(found, **values) == "".join(parts) + "".join(values[name] for name in names)


words = st.text(st.characters(codec="utf-8", exclude_characters="\0\r{}%"))


@given(st.lists(words | st.sampled_from(["{{", "}}", "{a}", "{b}"])).map("".join))
def test_a_text_for_format_renders_as_format_does(text: str) -> None:
    found = read(f"A = {text!r}")
    fields = [field for _, field, _, _ in string.Formatter().parse(text) if field]
    if fields and "{{ a" not in text and "{{ b" not in text:
        assert rendered(found, a="1", b="2") == text.format(a="1", b="2")


@given(st.text(st.sampled_from("\n\t ab"), max_size=40))
def test_a_text_is_dedented_as_python_does_it(text: str) -> None:
    assert read(f"import textwrap\nA = textwrap.dedent({text!r}).strip()").text == textwrap.dedent(text).strip()


@pytest.mark.parametrize(
    ("content", "path", "said"),
    [
        ("A = load()", "a.py", "a.py:1: 'A' cannot be read without running code: it is computed: load()"),
        ("A = load()", "src/app/a.py", "prompt: python:app.a:FUNCTION"),
        ("A = B\nB = A", "a.py", "it refers to itself: B → A → B"),
        ("A = f'{A}'", "a.py", "it refers to itself"),
        ("def A(x):\n    for y in x: pass\n    return y", "a.py", "a.py:2: 'A' cannot be read"),
        ("@magic\ndef A():\n    return 'x'", "a.py", "it is computed: magic"),
        ("A = 'a'\nA += 'b'", "a.py", "'A' gets a value on line 1 and on line 2"),
        ("A = {'b': 'c'}", "a.py", "'A' is not a text (use one of its texts: A.b)"),
        ("A = 5", "a.py", "it is computed: 5"),
        ("A = '\\ud800'", "a.py", "half of a surrogate pair"),
        ("Ab = 'a'", "a.py", "has no text named 'A' (did you mean Ab?)"),
        ("const A = `${", "a.ts", "is not valid JavaScript or TypeScript here, and 'A' is not in the rest of the file"),
        ("const A = load()", "a.ts", "it is computed: load() (write the text there as a plain string"),
        ("const A = B + 'x', B = A", "a.ts", "it refers to itself"),
        ("const A = '\\ud83d'", "a.js", "half of a surrogate pair"),
        ("A: [", "a.yaml", "a.yaml:1: invalid YAML"),
        ('{"A": ', "a.json", "a.json:1: "),
        ("A = [", "a.toml", "is not valid TOML"),
        ("a.b: x\na: {b: y}", "a.yaml", "has no text named 'A'"),
    ],
)
def test_an_error_is_reported_with_its_line_and_its_remedy(content: str, path: str, said: str) -> None:
    assert said in mistake(content, "A", path)


def test_keys_with_dots_are_texts_like_others() -> None:
    assert read("models:\n  gpt-4.1: x\n", "models.gpt-4.1", "a.yaml").text == "x"
    assert "gets a value on line 1 and on line 2" in mistake("a.b: x\na: {b: y}", "a.b", "a.yaml")


def test_lines_are_those_of_the_definition() -> None:
    assert (read("\nA = '''a\nb'''\n").line, read("\nA = '''a\nb'''\n").last) == (2, 3)
    found = read("a:\n- x\n- |\n  y\n  z\nb: c\n", "a.1", "a.yaml")
    assert (found.line, found.last) == (3, 5)
    assert read('{\n "a": {\n  "b": "x\\ny"}}', "a.b", "a.json").line == 3
    found = read('[a]\nc = "d"\nb = """\nx\ny"""\n', "a.b", "a.toml")
    assert (found.line, found.last) == (3, 5)


def growth(sign: str) -> str:
    lines = [f"A{n} = A{n + 1} {sign} A{n + 1}" for n in range(60)]
    return "\n".join([*lines, "A60 = 'xxxxxxxxxx'", "A = A0"])


@pytest.mark.threat("outside-code-file")
@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda: growth("+"), "a.py"),
        (lambda: "A = " + "(" * 100_000, "a.py"),
        (lambda: "A = " + "not " * 100_000 + "x", "a.py"),
        (lambda: "A = " + "x" + ".y" * 100_000, "a.py"),
        (lambda: "A = " + "{'a': " * 90 + "'x'" + "}" * 90, "a.py"),
        (lambda: "A = x." + "join(".join(["y."] * 90), "a.py"),
        (lambda: "A = " + "'a'" + ".strip()" * 10_000, "a.py"),
        (lambda: "A = [" + "0," * 50_000 + "]", "a.py"),
        (lambda: "x" * (CODE_CHARS + 1), "a.py"),
        (lambda: "const A = " + "(" * 20_000, "a.ts"),
        (lambda: "const A = " + "{a: " * 10_000 + "'x'" + "}" * 10_000, "a.ts"),
        (lambda: "const A = " + "`${" * 10_000, "a.tsx"),
        (lambda: "const A = 'a'" + ".trim()" * 10_000, "a.js"),
        (lambda: "A: " + "[" * 300, "a.yaml"),
        (lambda: "A: " + "{a: " * 200 + "x" + "}" * 200, "a.yaml"),
        (lambda: '{"A": ' + "[" * 100_000, "a.json"),
        (lambda: "A = " + "[" * 100_000, "a.toml"),
    ],
)
def test_what_is_meant_to_hurt_is_an_error_and_no_more(make: Callable[[], str], path: str) -> None:
    content = make()
    assert mistake(content, "A", path).startswith(f"main:{path}")
    may_have(content, path, "A")
    pointed_texts(content, path)


def test_a_long_sum_is_one_text() -> None:
    parts = " + ".join(["'a'"] * 200)
    assert read(f"A = {parts}").text == "a" * 200
    assert read(f"const A = {' + '.join(['`a`'] * 5_000)}", "A", "a.ts").text == "a" * 5_000
