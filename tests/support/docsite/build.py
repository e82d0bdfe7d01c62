"""Build the site somewhere else than in the repository, for tests."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.docsite.stage import BUILD, ROOT, stage

CONFIG = ROOT / "zensical.toml"


def build(folder: Path) -> tuple[Path, str]:
    """Lay the pages out, and build the site as `make docs` does.

    Args:
        folder: an empty one.

    Returns:
        The folder of the site, and what the generator said.

    Raises:
        AssertionError: it had something to say against a page.
    """
    shutil.copyfile(CONFIG, folder / CONFIG.name)
    stage(folder / BUILD.relative_to(ROOT))
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site", done.stdout + done.stderr
