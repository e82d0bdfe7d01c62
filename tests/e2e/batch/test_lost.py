"""Lost answers to a submission, lost ledgers, hostile results: nothing is paid twice, nothing is believed."""

import json
import signal
import time
from pathlib import Path

import pytest

from gate.errors import CannotEvaluate
from tests.e2e.batch.conftest import Gate
from tests.support import forked
from tests.support.batch_server import BatchServer
from tests.support.batch_wire import Batch
from tests.support.command import environment
from tests.support.findings import texts

WORKER = """
import sys
from pathlib import Path
from gate.config.models import ModelRef
from tests.e2e.batch.conftest import Gate
from tests.support.answers import Answers

class Server:
    url = sys.argv[1]

gate = Gate(Server(), ModelRef(*sys.argv[2].split(":")), Path(sys.argv[3]), Answers(file=Path(sys.argv[4])))
print(gate.run().reason, flush=True)
"""


def test_a_reply_that_was_lost_does_not_submit_twice(server: BatchServer, gate: Gate) -> None:
    server.lose_replies = 1
    first = gate.run()
    assert (first.waiting, first.ready) == (8, False)
    assert len(server.batches) == 1
    assert gate.run().waiting == 8
    server.finish()
    assert gate.run().tally.collected == 8
    assert len(server.batches) == 1


def test_a_submission_that_never_arrived_is_sent_again(server: BatchServer, gate: Gate) -> None:
    server.refuse = 2
    assert gate.run().submitted == 8
    assert len(server.batches) == 1
    assert len(gate.slept) == 2


@pytest.mark.parametrize(
    ("gate", "stage"), [("openai", "sent"), ("anthropic", "sent"), ("openai", "not sent")], indirect=["gate"]
)
def test_a_process_that_is_killed_between_submitting_and_writing(
    server: BatchServer, gate: Gate, stage: str, tmp_path: Path
) -> None:
    """The server holds the reply back; the process dies in the meantime."""
    server.hold_replies = stage
    (tmp_path / "worker.py").write_text(WORKER)
    arguments = ("worker.py", server.url, str(gate.model), str(gate.folder), str(tmp_path / "answers"))
    process = forked.start(arguments, tmp_path, environment(tmp_path), module=None)
    deadline = time.monotonic() + 60
    while not server.held and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.communicate()[0] == ""
    assert server.held == 1
    server.hold_replies = ""
    assert len(list(gate.folder.glob("*.json"))) == 1
    outcome = gate.run()
    assert outcome.waiting == 8
    assert outcome.submitted == (0 if stage == "sent" else 8)
    server.finish()
    assert gate.run().tally.collected == 8
    assert len(server.batches) == 1


@pytest.mark.parametrize("gate", ["anthropic"], indirect=True)
def test_anthropic_names_no_batch_so_a_fork_of_the_same_size_is_waited_for(server: BatchServer, gate: Gate) -> None:
    server.refuse = 1
    stranger = Batch("anthropic_batch_stranger", "anthropic", {f"other_{n}": {} for n in range(8)}, created=time.time())
    server.batches[stranger.id] = stranger
    first = gate.run()
    assert first.waiting == 8
    stranger.phase = "completed"
    stranger.lines = [
        json.dumps({"custom_id": name, "result": {"type": "expired"}}).encode() for name in stranger.bodies
    ]
    outcome = gate.run()
    assert (outcome.submitted, outcome.waiting) == (8, 8)
    server.finish()
    assert gate.run().tally.collected == 8


def test_a_forged_entry_brings_no_answers(server: BatchServer, gate: Gate) -> None:
    """An id that points to somebody else's batch: its custom ids are not those of our requests."""
    gate.run()
    path = next(gate.folder.glob("*.json"))
    data = json.loads(path.read_text())
    stranger = Batch("stranger", gate.model.provider, {"x": {}}, created=time.time(), phase="completed")
    stranger.lines = [b'{"custom_id": "x", "response": {"status_code": 200, "body": {}}, "result": {"type": "x"}}']
    server.batches["stranger"] = stranger
    path.write_text(json.dumps({**data, "ids": ["stranger"]}))
    outcome = gate.run()
    assert (outcome.tally.collected, outcome.tally.foreign, outcome.live) == (0, 1, 8)
    path.write_text(json.dumps({**data, "ids": ["../../files"]}))
    assert any("was renamed to" in note for note in texts(gate.run()))


def test_hostile_results_are_counted(server: BatchServer, gate: Gate) -> None:
    def spoil(lines: list[bytes]) -> list[bytes]:
        foreign = lines[0].replace(json.loads(lines[0])["custom_id"].encode(), b"f" * 48)
        wrong = lines[1].replace(b"blue", b"evil")
        return [b"<html>", foreign, *lines[:-1], wrong, b"\xff\xff"]

    gate.run()
    server.rewrite = spoil
    server.finish()
    outcome = gate.run()
    tally = outcome.tally
    assert (tally.unreadable, tally.foreign, tally.doubled, tally.collected, tally.failed) == (2, 1, 1, 7, 1)
    assert outcome.live == 1
    assert {reply.text for reply in gate.answers.kept.values() if reply} == {"blue"}
    assert len(outcome.notes) == 4
    assert all(note.isprintable() for note in outcome.notes)


def test_results_without_end_are_not_read_to_the_end(server: BatchServer, gate: Gate) -> None:
    gate.run()
    server.rewrite = lambda lines: [*lines, *[b'{"custom_id": "other"}'] * 10_000]
    server.finish()
    outcome = gate.run()
    assert (outcome.tally.collected, outcome.tally.cut) == (8, 1)
    assert outcome.tally.foreign < 200


def test_a_ledger_that_cannot_be_written_stops_before_the_spending(server: BatchServer, gate: Gate) -> None:
    gate.folder.parent.mkdir(exist_ok=True)
    gate.folder.write_text("a file where the folder should be")
    with pytest.raises(CannotEvaluate, match="cannot write to"):
        gate.run()
    assert not server.batches
