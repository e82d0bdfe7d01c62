"""The gate's comment on the pull request that is judged; whatever hinders it is a warning, and the verdict stands."""

from collections.abc import Callable
from dataclasses import dataclass, field

from gate.action.runner_files import traced
from gate.action.subject import Venue
from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.flows.sticky_comment import Publication, StickyComment, publish
from gate.github.client import GitHub
from gate.github.comments import PullRequestComments
from gate.report.markdown import comment
from gate.report.outputs.commands import annotation
from gate.settings.inputs import Inputs
from gate.settings.runner import Runner


@dataclass(slots=True)
class Commenter:
    """Writes the comment.

    Args:
        runner, inputs: how the gate was started.
        github: the repository.
        say: writes a line to the log.
        warn: tells about something that did not work and does not decide.
    """

    runner: Runner
    inputs: Inputs
    github: GitHub
    say: Callable[[str], None]
    warn: Callable[[str], None]
    context: comment.Context | None = field(default=None, init=False)
    _number: int | None = field(default=None, init=False)
    _reader: bool = field(default=False, init=False)

    def about(self, venue: Venue) -> None:
        """What is judged; without a pull request there is no comment."""
        config = "" if self.inputs.config == Inputs().config else self.inputs.config
        label, url = self.inputs.skip_label, self.runner.run_url
        self._number = venue.pull.number if venue.pull is not None else None
        self._reader = venue.pull is not None and venue.pull.fork and not venue.privileged
        written = self._number is not None and self.github.has_token
        self.context = comment.Context(
            venue.commit, venue.base, url, label, config, pull=self._number is not None, comment=written
        )

    def post(self, run: RunRecord) -> str:
        """Publish the comment.

        Returns:
            Its address; empty where there is none.
        """
        if self.context is None or self._number is None:
            return ""
        if not self.github.has_token:
            self.warn("there is no github-token, so there is no comment; the report is in the job summary")
            return ""
        context = self.context
        sticky = StickyComment(
            self.inputs.key,
            context.head,
            lambda limit: comment.render(run, context, limit=limit),
            # Where nothing was touched a comment would be noise; one that is there must not go on saying what was.
            only_update=run.verdict is Verdict.SKIPPED and run.override is None and not run.notes,
        )
        try:
            done = publish(PullRequestComments(self.github, self._number), sticky)
        except Exception as error:  # a defect of ours: told with its trace, and the verdict stands without a comment
            for line in traced(error):
                self.say(line)
            done = Publication(notes=(f"the comment failed ({type(error).__name__})",))
        if self._reader and done.refused:
            # Nobody can mend that: GitHub gives such a run a token that may only read.
            self.say(annotation("notice", "a fork's run may not comment; the report is in the job summary"))
            return done.url
        for note in done.notes:
            self.warn(note if done.url else f"{note}; the report is in the job summary")
        return done.url
