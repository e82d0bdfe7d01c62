"""Values that code puts into a text: a change of what makes them is never SKIPPED, and nothing else is an error."""

import json
from pathlib import Path

import pytest

from tests.support.command import Outcome, gate, git
from tests.support.repository import commit, make

START = 'version: 1\ndefaults: {model: "fake:oracle", samples: 1}\nsuites:\n'
VALUES = dict.fromkeys(("T", "t", "v", "q_T", "self_T", "self_t", "this_T", "join_items", "items"), "filled")
CASES = "".join(
    json.dumps({"id": f"c{n}", "input": "slice=any answer=word", "expected": "word", "vars": VALUES}) + "\n"
    for n in range(12)
)
EMBEDDED = {
    "py": {
        "bound twice": "T = 'x'\nT = {0}\nP = f'k {{T}} q'\n",
        "called": "T = mk({0})\nP = f'k {{T}} q'\n",
        "conditional": "T = {0} if X else 'b'\nP = f'k {{T}} q'\n",
        "walrus": "print(T := {0})\nP = f'k {{T}} q'\n",
        "function": "def t():\n    x = 1\n    for y in X: pass\n    return {0}\nP = f'k {{t()}} q'\n",
        "list": "L = [{0}, 'x']\nP = f'''k {{' '.join(L)}} q'''\n",
        "list for": "for T in [{0}]:\n    pass\nP = f'''k {{T}} q'''\n",
        "import": "from .q import T\nP = f'k {{T}} q'\n# {0}\n",
        "import star": "from .q import *\nP = f'k {{T}} q'\n# {0}\n",
        "import module": "import q\nP = f'k {{q.T}} q'\n# {0}\n",
        "local": "def P(items):\n    T = ' '.join([{0}, *items])\n    return f'k {{T}} q'\n",
        "local of local": "def P(items):\n    S = mk({0})\n    T = mk(S)\n    return f'k {{T}} q'\n",
        "format": "T = mk({0})\nP = 'k {{T}} q'.format(T=T)\n",
        "spec": "X = 1\ndef P(v):\n    return f'k {{v:{1}}} q'\n",
        "conversion": "def P(v):\n    return f'k {{v!{2}}} q'\n",
        "self": "class C:\n    T = {0}\n    def P(self):\n        return f'k {{self.T}} q'\n",
        "self set": "class C:\n def __init__(self): self.T = {0}\n def P(self): return f'k {{self.T}} q'\n",
        "self method": "class C:\n def t(self):\n  f(X)\n  return {0}\n def P(self): return f'{{self.t()}} q'\n",
        "dict": "D = {{'a': mk({0})}}\nP = f'''k {{D[\"a\"]}} q'''\n",
        "dict get": "D = {{'a': {0}}}\nP = f'''k {{D.get(\"a\")}} q'''\n",
        "dict key": "D = {{'a': {0}}}\nP = f'''k {{D[X]}} q'''\n",
        "dict item set": "D = {{'a': 'x'}}\nD['b'] = {0}\nP = f'''k {{D[X]}} q'''\n",
        "append": "L = ['x']\nL.append({0})\nP = f'''k {{\",\".join(L)}} q'''\n",
        "with": "with wrap({0}) as T:\n    pass\nP = f'''k {{T}} q'''\n",
        "global": "T = None\ndef start():\n    global T\n    T = {0}\nP = f'''k {{T}} q'''\n",
        "add": "L = {{'x'}}\nL.add({0})\nP = f'''k {{\",\".join(L)}} q'''\n",
        "given to a function": "L = ['x']\nheappush(L, {0})\nP = f'''k {{\",\".join(L)}} q'''\n",
        "in a function": "L = []\ndef start():\n L.append({0})\ndef P(x): return f'k {{mk(L)}} q'\n",
        "read": "from pathlib import Path\nT = Path('t.txt').read_text()\nP = f'k {{T}} q'\n# {0}\n",
        "opened": "T = open('t.txt').read()\nP = f'k {{T}} q'\n# {0}\n",
        "read in place": "P = f'k {{open(X).read()}} q'\n# {0}\n",
        "dynamic import": "import importlib\nT = importlib.import_module('q').T\nP = f'k {{T}} q'\n# {0}\n",
        "own module": "from code import T\nP = f'k {{T}} q'\n# {0}\n",
        "inherited": "class B:\n T = {0}\nclass C(B):\n def P(self): return f'k {{self.T}} q'\n",
        "inherited twice": "class A:\n T = {0}\nclass B(A): pass\nclass C(B):\n def P(self): return f'{{self.T}} q'\n",
        "super": "class B:\n def t(self): return {0}\nclass C(B):\n def P(self): return f'{{super().t()}} q'\n",
        "imported base": "from q import B\nclass C(B):\n def P(self): return f'k {{self.T}} q'\n# {0}\n",
        "type(self)": "class C:\n T = {0}\n def P(self): return f'k {{type(self).T}} q'\n",
        "__class__": "class C:\n T = {0}\n def P(self): return f'k {{self.__class__.T}} q'\n",
        "another self": "class C:\n T = {0}\n def P(me): return f'k {{me.T}} q'\n",
        "getattr": "class C:\n T = {0}\n def P(self): return f'k {{getattr(self, X)}} q'\n",
        "the whole object": "class C:\n T = {0}\n def P(self): return f'k {{mk(self)}} q'\n",
        "self added": "class C:\n def s(self): self.L.add({0})\n def P(self): return f'k {{mk(self.L)}} q'\n",
        "default": "def P(v={0}):\n    return f'k {{v}} q'\n",
    },
    "ts": {
        "let twice": "let T = 'x';\nT = {0};\nconst P = `k ${{T}} q`;\n",
        "called": "const T = mk({0});\nconst P = `k ${{T}} q`;\n",
        "conditional": "const T = X ? {0} : 'b';\nconst P = `k ${{T}} q`;\n",
        "function": "function t() {{ if (X) {{ return 'd'; }} return {0}; }}\nconst P = `k ${{t()}} q`;\n",
        "arrow": "const t = () => mk({0});\nconst P = `k ${{t()}} q`;\n",
        "list": "const L = [{0}, 'x'];\nconst P = `k ${{L.join(' ')}} q`;\n",
        "import": "import {{ T }} from './q';\nconst P = `k ${{T}} q`;\n// {0}\n",
        "import as": "import {{ S as T }} from './q';\nconst P = `k ${{T}} q`;\n// {0}\n",
        "import default": "import T from './q';\nconst P = `k ${{T}} q`;\n// {0}\n",
        "import star": "import * as q from './q';\nconst P = `k ${{q.T}} q`;\n// {0}\n",
        "require": "const {{ T }} = require('./q');\nconst P = `k ${{T}} q`;\n// {0}\n",
        "require member": "const T = require('./q').T;\nconst P = `k ${{T}} q`;\n// {0}\n",
        "local": "function P(items) {{ const T = mk({0}, items); return `k ${{T}} q`; }}\n",
        "this": "class C {{ T = {0}; P() {{ return `k ${{this.T}} q`; }} }}\n",
        "this by key": "class C {{ T = {0}; P() {{ return `k ${{this['T']}} q`; }} }}\n",
        "this taken apart": "class C {{ T = {0}; P() {{ const {{ T }} = this; return `k ${{T}} q`; }} }}\n",
        "this under another name": "class C {{ T = {0}; P() {{ const s = this; return `k ${{s.T}} q`; }} }}\n",
        "field of a parameter": "class C {{ constructor(private T = {0}) {{}} P() {{ return `k ${{this.T}} q`; }} }}\n",
        "this set": "class C {{ constructor() {{ this.T = {0}; }} P() {{ return `k ${{this.T}} q`; }} }}\n",
        "object": "const D = {{ a: mk({0}) }};\nconst P = `k ${{D.a}} q`;\n",
        "object key": "const D = {{ a: {0} }};\nconst P = `k ${{D[X]}} q`;\n",
        "destructured": "const {{ T }} = {{ T: {0} }};\nconst P = `k ${{T}} q`;\n",
        "add": "const L = new Set(['x']);\nL.add({0});\nconst P = `k ${{[...L].join()}} q`;\n",
        "given to a function": "const L = ['x'];\nmutate(L, {0});\nconst P = `k ${{L.join()}} q`;\n",
        "read": "const T = fs.readFileSync('t.txt', 'utf8');\nconst P = `k ${{T}} q`;\n// {0}\n",
        "dynamic import": "const T = (await import('./q')).T;\nconst P = `k ${{T}} q`;\n// {0}\n",
        "inherited": "class B {{ T = {0}; }}\nclass C extends B {{ P() {{ return `k ${{this.T}} q`; }} }}\n",
        "default": "function P(v = {0}) {{ return `k ${{v}} q`; }}\n",
        "push": "const L = ['x'];\nL.push({0});\nconst P = `k ${{L.join(' ')}} q`;\n",
    },
}
ALIASED = {
    "py": {
        "alias": "P = {{'a': 'old'}}\nQ = P\nQ['a'] = {0}\n",
        "loop": "P = {{'a': 'old'}}\nfor q in [P]:\n    q['a'] = {0}\n",
        "call": "P = {{'a': 'old'}}\ndef mutate(d):\n    d['a'] = {0}\nmutate(P)\n",
        "cls": "class P:\n    a = 'old'\n    @classmethod\n    def s(cls):\n        cls.a = {0}\n",
        "self": "class P:\n    a = 'old'\n    def s(self):\n        self.a = {0}\n",
    },
    "ts": {
        "alias": "const P = {{ a: 'old' }};\nconst Q = P;\nQ.a = {0};\n",
        "loop": "const P = {{ a: 'old' }};\nfor (const q of [P]) {{ q.a = {0}; }}\n",
        "call": "const P = {{ a: 'old' }};\nfunction mutate(d) {{ d.a = {0}; }}\nmutate(P);\n",
        "this": "class P {{ static a = 'old'; static s() {{ this.a = {0}; }} }}\n",
    },
}
PLAIN_CASES = CASES.replace(f', "vars": {json.dumps(VALUES)}', "")


def diff(folder: Path, ending: str, name: str, before: str, after: str, cases: str = PLAIN_CASES) -> Outcome:
    suite = f"  - {{name: bot, prompt: app/a.{ending}::{name}, cases: c.jsonl, scorers: [contains]}}\n"
    repo = make(folder / "repo", {"gate.yaml": START + suite, f"app/a.{ending}": before, "c.jsonl": cases})
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {f"app/a.{ending}": after})
    return gate("diff", "--base", "main", "--head", "change", cwd=repo)


@pytest.mark.parametrize(
    ("ending", "form"), [(ending, form) for ending, forms in EMBEDDED.items() for form in forms.values()]
)
def test_a_change_of_the_code_that_makes_a_value_is_red(tmp_path: Path, ending: str, form: str) -> None:
    name = "C.P" if "class C" in form else "P"
    arguments = ("'before'", ".1f", "r"), ("'after'", ".2f", "s")
    outcome = diff(tmp_path, ending, name, *(form.format(*one) for one in arguments))
    said = " ".join(outcome.err.split())
    assert outcome.code == 2, outcome.out
    assert "the change edits the code that makes" in said or "cannot be read without running code" in said, said


@pytest.mark.parametrize(
    ("ending", "form"), [(ending, form) for ending, forms in ALIASED.items() for form in forms.values()]
)
def test_a_text_that_is_changed_under_another_name_is_red(tmp_path: Path, ending: str, form: str) -> None:
    outcome = diff(tmp_path, ending, "P.a", form.format("'before'"), form.format("'after'"))
    assert (outcome.code, "'P.a'" in outcome.err) == (2, True), outcome.out + outcome.err


SAME = {
    "layout": ("py", "T = mk('x')\nP = f'k {T} q'\n", "# More.\n\nT = mk(\n    'x',  # why\n)\nP = f'k {T} q'\n"),
    "annotation": ("py", "T = mk('x')\nP = f'k {T} q'\n", "T: str = mk('x')\nP = f'k {T} q'\n"),
    "other name": ("py", "T = mk('x')\nU = 1\nP = f'k {T} q'\n", "T = mk('x')\nU = 2\nP = f'k {T} q'\n"),
    "other attribute": (
        "py",
        "class P:\n def __init__(self, t):\n  self.T = t\n  self.u = 1\n def a(self): return f'k {self.T} q'\n",
        "class P:\n def __init__(self, t):\n  self.T = t\n  self.u = 2\n def a(self): return f'k {self.T} q'\n",
    ),
    "standard library": (
        "py",
        "from json import dumps as t\ndef P(items):\n    return f'k {t(items)} q'\n",
        "import os\nfrom json import dumps as t\ndef P(items):\n    return f'k {t(items)} q'\n",
    ),
    "another function's name": (
        "py",
        "P = {'a': 'k'}\ndef f(Q):\n    Q = {}\n    Q['a'] = 'x'\n",
        "P = {'a': 'k'}\ndef f(Q):\n    Q = {}\n    Q['a'] = 'y'\n",
    ),
    "a list with it": ("py", "P = 'k'\nM = [P]\nM.append('x')\n", "P = 'k'\nM = [P]\nM.append('y')\n"),
    "a function with it": ("py", "P = {'a': 'k'}\nrun([P], 1)\n", "P = {'a': 'k'}\nrun([P], 2)\n"),
    "evaluated": ("py", "P = 'k'\ndef f(e): return eval(e)\n", "P = 'k'\ndef f(e): return eval(e) + 1\n"),
    "decorated": ("py", "@register\nclass P:\n    a = 'k'\n", "@register\nclass P:\n    a = 'k'\n    b = 'x'\n"),
    "another function's alias": (
        "py",
        "P = {'a': 'k'}\ndef a(): m = P\ndef b(m): m['a'] = 1\n",
        "P = {'a': 'k'}\ndef a(): m = P\ndef b(m): m['a'] = 2\n",
    ),
    "another module's name": ("py", "import hub\nP = 'k'\nhub.P = 1\n", "import hub\nP = 'k'\nhub.P = 2\n"),
    "a declared field": (
        "py",
        "from q import B\nclass P(B):\n T: str\n def a(self): return f'k {self.T} q'\n",
        "from q import B\nclass P(B):\n T: str\n U: int\n def a(self): return f'k {self.T} q'\n",
    ),
    "script's list with it": (
        "ts",
        "const P = 'k';\nconst m = [P];\nm.push('x');\n",
        "const P = 'k';\nconst m = [P];\nm.push('y');\n",
    ),
    "script layout": (
        "ts",
        "const T = mk('x');\nconst P = `k ${T} q`;\n",
        "// More.\nconst T = mk(\n  'x', // why\n);\n\nconst P = `k ${T} q`;\n",
    ),
    "script's other name": (
        "ts",
        "const T = mk('x');\nconst U = 1;\nconst P = `k ${T} q`;\n",
        "const T = mk('x');\nconst U = 2;\nconst P = `k ${T} q`;\n",
    ),
}


@pytest.mark.parametrize("edit", SAME)
def test_an_edit_beyond_the_code_of_a_value_is_skipped(tmp_path: Path, edit: str) -> None:
    ending, before, after = SAME[edit]
    name = "P.a" if "class P" in before or "P = {" in before else "P"
    outcome = diff(tmp_path, ending, name, before, after)
    assert (outcome.code, outcome.out.startswith("SKIPPED")) == (0, True), outcome.err


def test_a_value_that_nobody_changes_is_filled_from_the_cases(tmp_path: Path) -> None:
    form = "T = mk('x')\nP = f'Answer briefly. {{T}} quality={quality}'\n"
    outcome = diff(tmp_path, "py", "P", form.format(quality="1.0"), form.format(quality="0.1"), CASES)
    assert outcome.code == 1, outcome.out + outcome.err
