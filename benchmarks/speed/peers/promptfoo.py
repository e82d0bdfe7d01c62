"""promptfoo: writes its configuration and runs its command, without cache, database and network."""

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.paths import ROOT
from benchmarks.speed.peers.job import KEY, Job

COMMAND = ROOT / ".cache/peers/node_modules/.bin/promptfoo"
QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_CONFIG_DIR": ".promptfoo",
}

if __name__ == "__main__":
    job = Job.read()
    turns = [
        json.dumps([{"role": "system", "content": prompt}, {"role": "user", "content": "{{input}}"}])
        for prompt in job.prompts
    ]
    config = {
        "prompts": [{"raw": turn, "label": label} for turn, label in zip(turns, "ab", strict=True)],
        "providers": [{"id": "openai:chat:m", "config": {"apiBaseUrl": f"{job.url}/v1", "apiKey": KEY}}],
        "tests": [
            {"vars": {"input": case["input"]}, "assert": [{"type": "equals", "value": case["expected"]}]}
            for case in job.cases
        ],
    }
    Path("promptfooconfig.json").write_text(json.dumps(config))
    options = ["--no-cache", "--no-write", "--no-table", "--no-progress-bar", "--no-share", "--output", "out.json"]
    how = ["--max-concurrency", str(job.in_flight), "--repeat", str(job.samples)]
    done = subprocess.run(
        [COMMAND, "eval", "--config", "promptfooconfig.json", *how, *options],
        env=os.environ | QUIET,
        capture_output=True,
        text=True,
        check=False,
    )
    if not Path("out.json").is_file():
        sys.exit(done.stdout + done.stderr)
    print(json.loads(Path("out.json").read_text())["results"]["stats"]["successes"])
