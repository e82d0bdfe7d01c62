"""Prints a bill of materials of installed packages as CycloneDX 1.6 JSON: `python release/sbom.py SITE-PACKAGES…`.

It reads the metadata of the installed Python packages and, for Debian packages, dpkg's file `status`. It needs only the
standard library and no network. The same packages always give the same output. Dependencies between packages are
not included.
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
_APPROVED = "License :: OSI Approved :: "
_DEBIAN = re.compile(r"^(Package|Status|Version|Architecture): (.+)$", re.MULTILINE)
_LONGEST_LICENCE = 80
"""Characters. A longer field holds the text of a licence, not its name."""

Component = dict[str, Any]


def bill(found: Iterable[Distribution], debian: str = "") -> dict[str, Any]:
    """The bill. Its subject is the project itself, if that is among the packages.

    Args:
        found: installed packages.
        debian: the text of `/var/lib/dpkg/status`.
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
    licences = {"licenses": [licence]} if (licence := _licence(one)) else {}
    return {"type": "library", "bom-ref": purl, "name": name, "version": one.version, "purl": purl, **licences}


def _licence(one: Distribution) -> Component | None:
    """The licence of a package, from its expression, its classifiers or its name."""
    about = one.metadata
    if expressions := about.get_all("License-Expression"):
        return {"expression": expressions[0]}
    classes = [text.removeprefix(_APPROVED) for text in about.get_all("Classifier", []) if text.startswith(_APPROVED)]
    name = ", ".join(classes) or "".join(about.get_all("License", [])).strip()
    usable = name and len(name) <= _LONGEST_LICENCE and "\n" not in name and name != "UNKNOWN"
    return {"license": {"name": name}} if usable else None


def _of_debian(status: str) -> Iterator[Component]:
    for paragraph in status.split("\n\n"):
        told = dict(_DEBIAN.findall(paragraph))
        if told.get("Status") == "install ok installed":
            name, version = told["Package"], told["Version"]
            purl = f"pkg:deb/debian/{quote(name, safe='')}@{quote(version, safe='')}?arch={told['Architecture']}"
            yield {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def main() -> None:
    """Print the bill."""
    parser = argparse.ArgumentParser(description="Print a bill of materials of installed packages.")
    parser.add_argument("folder", nargs="+", help="folder of installed packages")
    parser.add_argument("--debian", type=Path, help="the file status of dpkg")
    given = parser.parse_args()
    status = given.debian.read_text(encoding="utf-8") if given.debian else ""
    print(json.dumps(bill(distributions(path=given.folder), status), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
