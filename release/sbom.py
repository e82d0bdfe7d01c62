"""A bill of materials of what is installed, as CycloneDX 1.6 in JSON: `python release/sbom.py SITE-PACKAGES…`.

It reads the metadata of installed packages and, of Debian, a list that `dpkg-query` printed; it asks nobody, needs
only the standard library, and says the same of the same packages each time. Which package needs which is not told.
"""

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any
from urllib.parse import quote

NAME = "prompt-gate"
DEBIAN = "${Package}\\t${Version}\\t${Architecture}\\n"
"""The format of the list, for `dpkg-query --show --showformat`."""

_APPROVED = "License :: OSI Approved :: "
_LONGEST_LICENCE = 80
"""Characters; more is the text of a licence and not its name."""

Component = dict[str, Any]


def bill(found: Iterable[Distribution], debian: Iterable[str] = ()) -> dict[str, Any]:
    """The bill, with the project itself as what it is about, where it is among the packages.

    Args:
        found: installed packages.
        debian: lines of a list in the format `DEBIAN`.

    Raises:
        ValueError: a line of the list is in another format.
    """
    of_python = {part["purl"]: part for part in map(_of_python, found)}
    of_debian = {part["purl"]: part for part in _of_debian(debian)}
    parts = [part for _, part in sorted({**of_debian, **of_python}.items())]
    own = [part for part in parts if part["name"] == NAME]
    about = {"metadata": {"component": {**own[0], "type": "application"}}} if own else {}
    others = [part for part in parts if part not in own]
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, **about, "components": others}


def _of_python(one: Distribution) -> Component:
    name = re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower()
    purl = f"pkg:pypi/{name}@{quote(one.version, safe='')}"
    told = {"licenses": [licence]} if (licence := _licence(one)) else {}
    return {"type": "library", "bom-ref": purl, "name": name, "version": one.version, "purl": purl, **told}


def _licence(one: Distribution) -> Component | None:
    """What the package says of it: an expression, a class, or a name."""
    about = one.metadata
    if expressions := about.get_all("License-Expression"):
        return {"expression": expressions[0]}
    classes = [text.removeprefix(_APPROVED) for text in about.get_all("Classifier", []) if text.startswith(_APPROVED)]
    name = ", ".join(classes) or "".join(about.get_all("License", [])).strip()
    usable = name and len(name) <= _LONGEST_LICENCE and "\n" not in name and name != "UNKNOWN"
    return {"license": {"name": name}} if usable else None


def _of_debian(lines: Iterable[str]) -> Iterator[Component]:
    for line in lines:
        name, version, architecture = line.rstrip("\n").split("\t")
        purl = f"pkg:deb/debian/{quote(name, safe='')}@{quote(version, safe='')}?arch={architecture}"
        yield {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def main() -> None:
    """Print the bill."""
    parser = argparse.ArgumentParser(description="Print a bill of materials of what is installed.")
    parser.add_argument("folder", nargs="+", help="of installed packages")
    parser.add_argument("--debian", type=Path, help="a file that dpkg-query wrote")
    given = parser.parse_args()
    lines = given.debian.read_text(encoding="utf-8").splitlines() if given.debian else ()
    print(json.dumps(bill(distributions(path=given.folder), lines), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
