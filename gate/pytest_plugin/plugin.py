"""The part that pytest loads in every run with this package installed: options and a marker; it imports only pytest."""

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gate.pytest_plugin import selection

if TYPE_CHECKING:
    from gate.pytest_plugin.evals import Evals

MARKER = "eval: calls a model, so it only runs if selected (-m eval, --gate-eval, or by its node id)"
CONFIG = "gate.yaml"
NOTES = "prompt_gate_notes"

_EVALS: "pytest.StashKey[Evals]" = pytest.StashKey()
_OVER: pytest.StashKey[bool] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options, under names that no `conftest.py` is likely to have: two of one name would end every run."""
    group = parser.getgroup("prompt-gate", "evals of prompts (Prompt Gate)")
    options: list[tuple[str, dict[str, Any]]] = [
        ("--gate-eval", {"action": "store_true", "help": "Run evals together with the other tests."}),
        (
            "--gate-config",
            {
                "metavar": "FILE",
                "help": f"Configuration file to use, whatever the paths.  [default: {CONFIG} in the root directory]",
            },
        ),
        (
            "--gate-concurrency",
            {"type": int, "default": 32, "metavar": "N", "help": "Model calls at the same time.  [default: 32]"},
        ),
        ("--gate-no-cache", {"action": "store_true", "help": "Do not reuse cached answers."}),
        ("--gate-refresh", {"action": "store_true", "help": "Ignore cached answers and refresh them."}),
    ]
    for name, settings in options:
        group.addoption(name, dest=selection.dest(name), **settings)
    parser.addini("gate_config", f"Prompt Gate's configuration (default: {CONFIG})", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Find out whether evals are requested; if not, nothing is read."""
    config.addinivalue_line("markers", MARKER)
    path, named = _config_path(config)
    wanted = selection.evals_requested(config)
    if not wanted and not selection.names_file(config, path):
        return
    if not path.is_file():
        if named:
            raise pytest.UsageError(f"there is no {path}, which is set as Prompt Gate's configuration")
        return
    from gate.pytest_plugin.evals import Evals

    config.stash[_EVALS] = Evals(config, path)
    ours = bool(_option(config)) or config.args_source is not pytest.Config.ArgsSource.ARGS
    if wanted and ours and not selection.names_file(config, path):
        config.args.append(str(path))


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say so where evals are requested but there is no configuration, or no path leads to it."""
    path, _ = _config_path(config)
    if not selection.evals_requested(config):
        return None
    if not path.is_file():
        return f"eval: there is no {path}; use --gate-config for another file"
    if selection.leads_to(config, path):
        return None
    return f"eval: {selection.from_here(config, path)} is not among the paths; add it, or pass --gate-config"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the configuration, where evals are requested."""
    evals = parent.config.stash.get(_EVALS, None)
    return None if evals is None or file_path != evals.path else evals.collector(parent)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave evals out unless requested."""
    if selection.evals_requested(config):
        return
    evals = config.stash.get(_EVALS, None)
    out = [
        item
        for item in items
        if item.get_closest_marker("eval")
        and not (evals is not None and item.path == evals.path)
        and not selection.names_item(config, item)
    ]
    if out:
        gone = set(map(id, out))
        items[:] = [item for item in items if id(item) not in gone]
        config.hook.pytest_deselected(items=out)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note which cases will run, and in which order."""
    if (evals := session.config.stash.get(_EVALS, None)) is not None:
        evals.chosen(session.items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Start the next cases ahead."""
    if (evals := item.config.stash.get(_EVALS, None)) is not None:
        evals.ahead(item, nextitem)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the scores to the report, also from a worker of xdist."""
    report = yield
    evals = item.config.stash.get(_EVALS, None)
    if evals is not None:
        evals.reported(item, report)
    payload = getattr(item, "gate_payload", None)
    if payload is not None and (report.when == "call" or (report.when == "setup" and report.failed)):
        report.__dict__["gate_eval"] = payload
    return report


def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> tuple[str, str, str] | None:
    """With -v, show the scores behind the outcome, except in the short list at the end, which other tools read."""
    payload = getattr(report, "gate_eval", None)
    if payload is None or hasattr(report, "wasxfail") or config.get_verbosity() < 1 or _OVER in config.stash:
        return None
    from gate.pytest_plugin.items import short_result

    if report.passed:
        return "passed", ".", f"PASSED [{short_result(payload)}]"
    if report.when == "call":
        return "failed", "F", f"FAILED [{short_result(payload)}]"
    return "error", "E", f"ERROR [{short_result(payload)}]"


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Add a table of the suites, with the cost."""
    reports = [one for kind in ("passed", "failed", "error") for one in terminalreporter.stats.get(kind, ())]
    payloads = [one.gate_eval for one in reports if getattr(one, "gate_eval", None) is not None]
    evals = config.stash.get(_EVALS, None)
    if not payloads and (evals is None or not evals.notes):
        return
    from gate.pytest_plugin.items import summary_lines

    terminalreporter.section("eval", sep="=", bold=True)
    for line in summary_lines(payloads, [] if evals is None else evals.notes):
        terminalreporter.line(line)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Cancel running work, and save the record."""
    session.config.stash[_OVER] = True
    if (evals := session.config.stash.get(_EVALS, None)) is not None:
        evals.finish()
        if (told := getattr(session.config, "workeroutput", None)) is not None:
            told[NOTES] = evals.notes


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """Take over the final notes of a worker of xdist."""
    evals = node.config.stash.get(_EVALS, None)
    if evals is not None:
        # A crashed worker reports nothing.
        evals.notes += getattr(node, "workeroutput", {}).get(NOTES, ())


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the thread in any case."""
    if (evals := config.stash.get(_EVALS, None)) is not None:
        evals.finish()


def _config_path(config: pytest.Config) -> tuple[Path, bool]:
    """The configuration, and whether the user named it."""
    if given := _option(config):
        return _absolute(config.invocation_params.dir / given), True
    if named := str(config.getini("gate_config")):
        return _absolute(config.rootpath / named), True
    return config.rootpath / CONFIG, False


def _option(config: pytest.Config) -> str:
    return str(config.getoption(selection.dest("--gate-config"), None) or "")


def _absolute(path: Path) -> Path:
    """Without `..`, but with links: like the paths that pytest collects."""
    from os.path import abspath

    return Path(abspath(path))
