"""Transcripts of all kinds, for property tests."""

from hypothesis import strategies as st

from gate.messages import ToolCall
from gate.record.transcript import Dollars, HarnessCalls, Observation, ToolUse, Transcript, Turn, Unpriced, Usage

TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
COUNTS = st.integers(0, 10**9)
AMOUNTS = st.floats(0, 1e12, allow_nan=False)
COSTS = st.builds(Dollars, AMOUNTS) | st.sampled_from([Unpriced("n/a"), Unpriced("unknown")])
USES = st.builds(ToolUse, TEXT, TEXT, TEXT, st.booleans(), st.none() | AMOUNTS, st.booleans())
SPEAKERS = st.sampled_from(["case", "follow-up", "simulated"])
TURNS = st.builds(
    Turn,
    round=st.integers(0, 49),
    said=TEXT,
    by=SPEAKERS,
    answer=TEXT,
    tools=st.lists(USES, max_size=2).map(tuple),
    steps=COUNTS,
    usage=st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS),
    cost=COSTS,
    latency_s=st.none() | AMOUNTS,
    stop_reason=TEXT,
    tools_told=st.booleans(),
)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
CELLS = st.none() | st.booleans() | NUMBERS | TEXT
ROWS = st.lists(st.lists(CELLS, max_size=3).map(tuple), max_size=2).map(tuple)
NAMES = st.lists(TEXT, max_size=2).map(tuple)
OBSERVATIONS = st.builds(Observation, TEXT, st.none() | ROWS, TEXT, st.booleans(), NAMES)
TRANSCRIPTS = st.builds(
    Transcript,
    TEXT,
    st.lists(TURNS, max_size=3).map(tuple),
    st.lists(st.integers(0, 49), max_size=2).map(tuple),
    st.builds(HarnessCalls, COUNTS, st.none() | COSTS, st.lists(TEXT, max_size=2).map(tuple)),
    st.lists(OBSERVATIONS, max_size=2).map(tuple),
    st.sampled_from(["", "done", "max_turns"]),
)
CALLS = st.lists(st.builds(ToolCall, TEXT, TEXT, TEXT), max_size=3).map(tuple)
CLEAN = st.text(max_size=20)
"""Without half surrogate pairs, which no text has that was cleaned."""
