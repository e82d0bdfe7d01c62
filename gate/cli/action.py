"""`gate action`: one GitHub event."""

import click


@click.command()
def action() -> None:
    """Judge the pull request of a GitHub workflow.

    The entry of the container action. Reads the event, the runner's variables and the inputs (INPUT_*) from the
    environment; judges the prompt as it would be merged against the merge target; keeps one comment on the pull
    request up to date; writes job summary and outputs; and exits with the code of the verdict.

    \b
    Example, in a workflow with 'on: pull_request':
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
        with: {fetch-depth: 2, persist-credentials: false}
      - uses: OWNER/prompt-gate@0000000000000000000000000000000000000000
        env: {OPENAI_API_KEY: "${{ secrets.OPENAI_API_KEY }}"}
    On your own machine:
      gate diff --base origin/main
    """
    import time
    from datetime import UTC, datetime

    from gate.action.entry import act
    from gate.action.evaluation import Stage
    from gate.cli.progress import Lines
    from gate.cli.show import render
    from gate.settings.services import Settings

    def say(line: str) -> None:
        print(line, flush=True)

    stage = Stage(
        say=say,
        show=lambda run: render(run, "terminal"),
        progress=Lines,
        now=lambda: datetime.now(UTC),
        wait=time.sleep,
        services=Settings.from_environ(),
    )
    raise click.exceptions.Exit(act(stage))
