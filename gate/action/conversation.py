"""The gate's comment on the pull request that is judged; whatever hinders it is a warning, and the verdict stands."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gate.action.runner_files import traced
from gate.action.subject import Venue
from gate.domain.comment_state import AcceptedOverride, CommentState
from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.errors import CannotEvaluate
from gate.flows.commenttext import marker
from gate.flows.override import accepted
from gate.flows.publish import Publication, Sticky, announce, publish, standing_state
from gate.github.client import READ_ONLY, GitHub
from gate.github.comments import PullRequestComments
from gate.report.markdown import comment
from gate.report.outputs.commands import annotation
from gate.settings.inputs import Inputs
from gate.settings.runner import Runner


@dataclass(slots=True)
class Commenter:
    """Reads and writes the comment.

    Args:
        runner, inputs: how the gate was started.
        github: the repository.
        secret: seals what the comment keeps; empty where the run has no secret.
        started: when this run began.
        say: writes a line to the log.
        warn: tells about something that did not work and does not decide.
        counted: a comment counts what this run spent.
    """

    runner: Runner
    inputs: Inputs
    github: GitHub
    secret: bytes
    started: datetime
    say: Callable[[str], None]
    warn: Callable[[str], None]
    context: comment.Context | None = field(default=None, init=False)
    counted: bool = field(default=False, init=False)
    _number: int | None = field(default=None, init=False)
    _reader: bool = field(default=False, init=False)

    def about(self, venue: Venue) -> None:
        """What is judged; without a pull request there is no comment."""
        config = "" if self.inputs.config == Inputs().config else self.inputs.config
        label, url = self.inputs.skip_label, self.runner.run_url
        self._number = venue.pull.number if venue.pull is not None else None
        self._reader = venue.pull is not None and venue.pull.fork and not venue.privileged
        self.context = comment.Context(
            venue.commit, venue.base, url, label, config, pull=self._number is not None, comment=self._may_write()
        )

    def announce(self) -> None:
        """Say that an evaluation is under way, where that is asked for."""
        if not self.inputs.comment_progress or self.context is None or not self._may_write():
            return
        note = comment.announcement(self.context.head, self.context.run_url)
        state = self._state(Verdict.INCONCLUSIVE)
        self._done(lambda talk: announce(talk, self._marker, note, state))

    def accepted(self) -> AcceptedOverride | None:
        """The override that the comment says was counted before, if a run with the same secret wrote that."""
        if self._number is None or not self.secret:
            return None
        try:
            state = standing_state(self._talk(self._number), self._marker)
        except CannotEvaluate as error:
            self.warn(error.message)
            return None
        return state.override if state else None

    def post(self, run: RunRecord) -> str:
        """Publish the comment.

        Returns:
            Its address; empty where there is none.
        """
        if self.context is None or self._number is None or self.inputs.comment_mode == "off":
            return ""
        if not self.github.has_token:
            self.warn("there is no github-token, so there is no comment; the report is in the job summary")
            return ""
        context = self.context
        spent = {self.started.strftime("%Y-%m"): run.spent_usd} if run.spent_usd else {}
        state = self._state(run.verdict).model_copy(update={"override": accepted(run.override), "spent": spent})
        sticky = Sticky(
            self._marker,
            lambda earlier, limit: comment.render(run, context, earlier, limit=limit),
            state,
            self.inputs.comment_mode,
            # Where nothing was touched a comment would be noise; one that is there must not go on saying what was.
            only_update=run.verdict is Verdict.SKIPPED and run.override is None and not run.notes,
        )
        return self._done(lambda talk: publish(talk, sticky))

    def _done(self, write: Callable[[PullRequestComments], Publication]) -> str:
        if self._number is None:
            return ""
        try:
            done = write(self._talk(self._number))
        except Exception as error:  # a defect of ours: told with its trace, and the verdict stands without a comment
            for line in traced(error):
                self.say(line)
            done = Publication(note=f"the comment failed ({type(error).__name__})")
        self.counted = done.counted
        if self._reader and READ_ONLY in done.note:
            # Nobody can mend that: GitHub gives such a run a token that may only read.
            self.say(annotation("notice", "a fork's run may not comment; the report is in the job summary"))
        elif done.note:
            self.warn(done.note if done.url else f"{done.note}; the report is in the job summary")
        return done.url

    def _talk(self, number: int) -> PullRequestComments:
        return PullRequestComments(self.github, number, secret=self.secret)

    @property
    def _marker(self) -> str:
        return marker(self.inputs.key)

    def _may_write(self) -> bool:
        return self._number is not None and self.inputs.comment_mode != "off" and self.github.has_token

    def _state(self, verdict: Verdict) -> CommentState:
        commit = self.context.head if self.context else ""
        started = self.started.astimezone(UTC).isoformat()
        return CommentState(commit=commit, started=started, run=self.runner.run, verdict=verdict)
