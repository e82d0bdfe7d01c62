"""What the fork server loads before it forks."""

import contextlib
import gc
import importlib
import io
import pkgutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
THEIRS = (
    *("aiohttp", "genai_prices.data", "genai_prices.data_snapshot", "jsonschema", "numpy.ma", "numpy.random"),
    *("rich.progress", "sqlalchemy.dialects.sqlite"),
    *("openai._vendor.httpx_aiohttp", "anthropic._vendor.httpx_aiohttp", "httpcore2", "anyio.streams.tls"),
    *("genai_prices.decompose", "genai_prices.validation"),
)
"""Third-party modules that our modules import late, and that most runs need."""
RUN = ("gate.__main__", "gate.store.sql.migrations.env")
"""Our modules that are run, and not imported."""


def _load_gate() -> None:
    """Load the whole package, and prepare its templates and models, which takes longer than to use them."""
    from pydantic import BaseModel, TypeAdapter

    import gate
    from gate.config.validation import FileModel, adapter_of

    ours = [module.name for module in pkgutil.walk_packages(gate.__path__, "gate.")]
    for name in (*ours, *THEIRS):
        if name not in RUN:
            importlib.import_module(name)
    from gate.app.run_order import prepare_reports

    prepare_reports()
    for found in gc.get_objects():
        # Not isinstance, which wakes objects that load late.
        if issubclass(type(found), TypeAdapter):
            found.rebuild()
        elif issubclass(type(found), type) and issubclass(found, BaseModel) and found.__module__.startswith("gate."):
            found.model_rebuild()
            if issubclass(found, FileModel):
                adapter_of(found)


class Loading:
    """A plugin that loads our package while pytest rewrites what it will rewrite in every run.

    What was loaded before, it would warn of.
    """

    def pytest_collection(self) -> None:
        _load_gate()


def load() -> None:
    """Load pytest, the plugins that it finds, and the package: by a run without tests."""
    import pytest

    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
        (Path(folder) / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
        options = ("--rootdir", folder, "-c", f"{folder}/pytest.ini", "-p", "no:cacheprovider", folder)
        code = pytest.main([*options, "--capture=no"], plugins=[Loading()])
    if code is not pytest.ExitCode.NO_TESTS_COLLECTED:
        raise RuntimeError(f"pytest did not load:\n{said.getvalue()}")
