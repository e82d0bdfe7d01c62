"""The suite that `gate generate` prints, to be copied into `gate.yaml`."""

import os
from pathlib import Path

from gate.domain.promptspec import Specification
from gate.flows.generate_files import stem
from gate.testgen.compile.compile import compile_rules
from gate.testgen.written.suite import SuiteFiles, SuiteModels, suite_yaml


def suite_of(prompt: str, cases: Path, specification: Specification, models: SuiteModels) -> str:
    """A configuration in the folder that the command runs in; empty where none can name the files.

    Args:
        prompt: path.
        cases: path of the case file.
        specification: its rules are what is checked.
        models: who answers, and who judges.
    """
    files = SuiteFiles(stem(prompt), _from_here(Path(prompt)), _from_here(cases))
    return suite_yaml(files, models, specification.rules, compile_rules(specification.rules))


def _from_here(path: Path) -> Path:
    here, whole = Path.cwd(), Path(os.path.abspath(path))
    return whole.relative_to(here) if whole.is_relative_to(here) else whole
