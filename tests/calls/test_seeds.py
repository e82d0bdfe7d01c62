from dataclasses import replace

from gate.calls.endpoints import seed_of
from gate.calls.interface import Request
from gate.config.models import ModelRef, Params
from gate.messages import Message

REQUEST = Request((Message("system", "a"), Message("user", "b")), ModelRef("local", "m"), Params())


def test_the_same_request_has_the_same_seed() -> None:
    assert seed_of(REQUEST) == seed_of(replace(REQUEST))


def test_case_prompt_sample_and_the_users_seed_each_change_it() -> None:
    others = [
        replace(REQUEST, messages=(Message("system", "a"), Message("user", "c"))),
        replace(REQUEST, messages=(Message("system", "A"), Message("user", "b"))),
        replace(REQUEST, index=1),
        replace(REQUEST, params=Params(seed=1)),
    ]
    assert len({seed_of(request) for request in (REQUEST, *others)}) == 5
    assert all(0 <= seed_of(request) < 2**31 for request in others)
