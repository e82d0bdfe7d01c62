"""pydantic-evals: one dataset with both prompts; the task calls `AsyncOpenAI`."""

import asyncio

import openai
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected

from benchmarks.speed.peers.job import KEY, Job


async def right(job: Job) -> int:
    """How many answers are the expected ones."""
    cases = [
        Case(name=f"{arm}-{case['id']}", inputs=(prompt, case["input"]), expected_output=case["expected"])
        for case in job.cases
        for arm, prompt in zip("ab", job.prompts, strict=True)
    ]
    http = openai.DefaultAioHttpClient()
    async with openai.AsyncOpenAI(api_key=KEY, base_url=f"{job.url}/v1", http_client=http) as client:

        async def task(inputs: tuple[str, str]) -> str:
            turns = [{"role": "system", "content": inputs[0]}, {"role": "user", "content": inputs[1]}]
            reply = await client.chat.completions.create(model="m", messages=turns)
            return reply.choices[0].message.content or ""

        dataset = Dataset(name="job", cases=cases, evaluators=[EqualsExpected()])
        report = await dataset.evaluate(task, max_concurrency=job.in_flight, repeat=job.samples, progress=False)
    return sum(one.assertions["EqualsExpected"].value for one in report.cases)


if __name__ == "__main__":
    print(asyncio.run(right(Job.read())))
