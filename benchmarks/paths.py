"""The folders of the repository that benchmarks read and write."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT / "benchmarks" / "data"
RESULTS = ROOT / "benchmarks" / "results"
