"""A plain loop over `AsyncAnthropic`, with the SDK's faster transport."""

import asyncio

import anthropic

from benchmarks.speed.peers.job import KEY, Job


async def answers(job: Job) -> list[str]:
    """All answers."""
    http = anthropic.DefaultAioHttpClient()
    async with anthropic.AsyncAnthropic(api_key=KEY, base_url=job.url, http_client=http) as client:

        async def ask(prompt: str, question: str) -> str:
            turns = [{"role": "user", "content": question}]
            system = [{"type": "text", "text": prompt}]
            reply = await client.messages.create(model="m", max_tokens=4096, system=system, messages=turns)
            return str(reply.content[0].text)

        return await job.loop(ask)


if __name__ == "__main__":
    job = Job.read()
    print(job.right(asyncio.run(answers(job))))
