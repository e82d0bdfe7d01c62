"""A plain loop over `AsyncOpenAI`, with the SDK's faster transport."""

import asyncio

import openai

from benchmarks.speed.peers.job import KEY, Job


async def answers(job: Job) -> list[str]:
    """All answers."""
    http = openai.DefaultAioHttpClient()
    async with openai.AsyncOpenAI(api_key=KEY, base_url=f"{job.url}/v1", http_client=http) as client:

        async def ask(prompt: str, question: str) -> str:
            turns = [{"role": "system", "content": prompt}, {"role": "user", "content": question}]
            reply = await client.chat.completions.create(model="m", messages=turns)
            return reply.choices[0].message.content or ""

        return await job.loop(ask)


if __name__ == "__main__":
    job = Job.read()
    print(job.right(asyncio.run(answers(job))))
