"""Suites and cases as pytest has them: `gate.yaml::SUITE::CASE`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from gate.bootstrap.background import Answer
from gate.domain.case import Case
from gate.domain.checked import CaseState
from gate.domain.suite import Suite
from gate.errors import GateError
from gate.flows.resolved import Resolved
from gate.pytest_plugin.naming import node_name
from gate.pytest_plugin.telling import Payload, failure, mistake, payload_of, properties


class Asked(Protocol):
    """Who knows the suites, and has the cases asked."""

    def resolve(self) -> Resolved:
        """What the configuration says; raises GateError for mistakes in it."""
        ...

    def wait(self, item: "CaseItem") -> Answer:
        """The answer to a case; raises GateError where there can be none."""
        ...


class CaseFailed(Exception):
    """A case does not pass; the text says why, and no trace is needed to understand it."""


class ConfigFile(pytest.File):
    """The configuration."""

    evals: "Asked"

    def collect(self) -> Iterator["SuiteNode"]:
        """Its suites.

        Raises:
            CollectError: the files have mistakes; all of them at once.
        """
        try:
            resolved = self.evals.resolve()
        except GateError as error:
            raise self.CollectError(mistake(error)) from None
        for suite in resolved.suites:
            node = SuiteNode.from_parent(self, name=node_name(suite.name, last=False))
            node.suite, node.evals = suite, self.evals
            yield node


class SuiteNode(pytest.Collector):
    """One suite."""

    suite: Suite
    evals: "Asked"

    def collect(self) -> Iterator["CaseItem"]:
        """Its cases, in the order of their file."""
        for case in self.suite.exam.cases:
            item = CaseItem.from_parent(self, name=node_name(case.id, last=True))
            item.begin(self.evals, self.suite, case)
            yield item


class CaseItem(pytest.Item):
    """One case: asked ahead, waited for in the setup, judged in the test itself."""

    evals: "Asked"
    suite: Suite
    case: Case
    gate_payload: Payload | None = None

    def begin(self, evals: "Asked", suite: Suite, case: Case) -> None:
        """What it is about; its slices can be picked with `-k`."""
        self.evals, self.suite, self.case = evals, suite, case
        self.add_marker("eval")
        self.extra_keyword_matches.update(case.slices.values())

    def setup(self) -> None:
        """Wait for the answers; where they cannot be scored, that is an error, and neither a pass nor a failure."""
        try:
            answer = self.evals.wait(self)
        except GateError as error:
            pytest.fail(mistake(error), pytrace=False)
        self.gate_payload = payload_of(answer)
        self.user_properties += properties(self.gate_payload)
        if answer.result.state is CaseState.UNSCORED:
            pytest.fail(failure(self.case, answer), pytrace=False)

    def runtest(self) -> None:
        """Raises CaseFailed where the case does not pass."""
        answer = self.evals.wait(self)
        if answer.result.state is CaseState.FAILED:
            raise CaseFailed(failure(self.case, answer))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of a case that does not pass, in place of a trace."""
        if isinstance(excinfo.value, CaseFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is; pytest takes no skipped test without a line, so it is the first."""
        return self.path, 0, f"{self.suite.name}::{self.case.id}"
