"""`gate schema`: the JSON Schemas of the files that the gate reads and writes."""

import json

import click


@click.command()
@click.argument("name", type=click.Choice(["gate.yaml", "run.json", "generation.json"]))
def schema(name: str) -> None:
    """Print a JSON Schema, for editors and for other programs.

    \b
    Example:
      gate schema gate.yaml > gate.schema.json
    """
    if name == "gate.yaml":
        from gate.inputs.schema import config_schema

        content = config_schema()
    elif name == "generation.json":
        from gate.report.generation_schema import generation_schema

        content = generation_schema()
    else:
        from gate.domain.record import RunRecord

        content = RunRecord.model_json_schema(by_alias=True)
    click.echo(json.dumps(content, indent=2))
