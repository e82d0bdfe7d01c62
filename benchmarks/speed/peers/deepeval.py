"""DeepEval: it scores answers that the caller fetches, here with the plain loop over `AsyncOpenAI`."""

import asyncio

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import ExactMatchMetric
from deepeval.test_case import LLMTestCase

from benchmarks.speed.peers.job import Job
from benchmarks.speed.peers.openai_loop import answers

if __name__ == "__main__":
    job = Job.read()
    pairs = zip(job.samples_to_take, asyncio.run(answers(job)), strict=True)
    cases = [
        LLMTestCase(input=question, actual_output=answer, expected_output=expected)
        for (_, question, expected), answer in pairs
    ]
    result = evaluate(
        cases,
        [ExactMatchMetric()],
        async_config=AsyncConfig(max_concurrent=job.in_flight),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=CacheConfig(write_cache=False),
    )
    print(sum(bool(one.success) for one in result.test_results))
