"""Inspect: one task for each prompt, with epochs."""

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import exact
from inspect_ai.solver import generate, system_message

from benchmarks.speed.peers.job import KEY, Job

if __name__ == "__main__":
    job = Job.read()
    samples = [Sample(input=case["input"], target=case["expected"], id=case["id"]) for case in job.cases]
    tasks = [
        Task(samples, name=name, solver=[system_message(prompt), generate()], scorer=exact())
        for name, prompt in zip("ab", job.prompts, strict=True)
    ]
    logs = eval(
        tasks,
        model="openai/m",
        model_base_url=f"{job.url}/v1",
        model_args={"api_key": KEY, "responses_api": False},
        epochs=job.samples,
        max_tasks=len(tasks),
        max_samples=job.in_flight,
        max_connections=job.in_flight,
        display="none",
        log_dir="logs",
    )
    scores = (one.scores["exact"] for log in logs for one in log.samples or [] if one.scores)
    print(sum(score.value == "C" for score in scores))
