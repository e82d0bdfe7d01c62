"""A run that GitHub gives no secrets: which keys the merge target's own suites miss there."""

from collections.abc import Iterator

from gate.flows.resolved import Resolved
from gate.settings.keys import keys_of
from gate.settings.services import Settings


def missed_by_the_base(resolved: Resolved, services: Settings) -> bool:
    """Would the exam of the merge target lack a key, whatever the change asks for?

    A change that names a model of a service where the merge target needs none must not have its run skipped by that.

    Args:
        resolved: what was to be evaluated.
        services: the keys that there are.
    """
    there: dict[str, object] = {
        "openai": services.openai_api_key or services.openai_base_url,
        "anthropic": services.anthropic_api_key or services.anthropic_base_url,
        "azure": services.azure_api_key or services.azure_ad_token,
        "bedrock": services.bedrock_api_key or services.aws_credentials,
        "vertex": services.google_credentials,
    }
    named = keys_of(services, resolved.servers).servers
    there |= {name: one.api_key or not one.server.api_key_env for name, one in named.items()}
    lacking = {provider for provider, found in there.items() if not found}
    return not lacking.isdisjoint(_of_base(resolved))


def _of_base(resolved: Resolved) -> Iterator[str]:
    """The providers that the baselines, and the judges of pinned exams, are asked at."""
    for suite in resolved.suites:
        if suite.baseline is None or suite.own_exam:
            continue
        yield suite.baseline.model.provider
        yield from (model.partition(":")[0] for spec in suite.exam.all_scorers() for model in spec.models)
