"""Every attribute that is not the gate's own is one of OpenTelemetry's conventions, and none that they gave up."""

import pkgutil
import re
from pathlib import Path

from opentelemetry.semconv import attributes as stable
from opentelemetry.semconv._incubating import attributes as incubating

import gate.telemetry

_FIELD = re.compile(r'^[A-Z_0-9]+: Final = \(?\s*"([^"]+)"(?:\s*\))?(?:\n"""(.*?)""")?', re.MULTILINE | re.DOTALL)
_USED = re.compile(r'"((?:gen_ai|server|error|vcs|service)\.[a-z_.]+)"')
EVENTS = {"gen_ai.evaluation.result"}
"""Names of events, for which the package has no constants."""


def test_the_names_are_those_of_the_conventions() -> None:
    known: dict[str, str] = {}
    for package in (stable, incubating):
        folder = Path(package.__path__[0])
        for module in pkgutil.iter_modules(package.__path__):
            known |= dict(_FIELD.findall((folder / f"{module.name}.py").read_text(encoding="utf-8")))
    own = Path(gate.telemetry.__path__[0]).glob("*.py")
    used = {name for file in own for name in _USED.findall(file.read_text(encoding="utf-8"))} - EVENTS
    assert len(used) > 20 and not used - known.keys()
    given_up = (
        "Deprecated: Replaced",
        "Deprecated: Removed",
    )  # others have moved, by their names, to a place of their own
    assert [name for name in sorted(used) if known[name].lstrip().startswith(given_up)] == []
    assert known["gen_ai.system"].lstrip().startswith(given_up)  # so the others would be seen
