"""Tokens: shown once, stored as a digest, with an expiry, and revoked at once."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from gate.errors import GateError
from gate.store.access import Scope
from gate.store.sql.access import SEEN_EVERY, TokenRequest, Tokens
from gate.store.sql.database import Database

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
CI = TokenRequest("ci", "Ann", frozenset({Scope.RUNS_WRITE}))


@pytest.mark.threat("token-digest")
def test_a_token_is_found_by_its_secret_which_is_nowhere_in_the_store(database: Database) -> None:
    tokens = Tokens(database)
    issued = tokens.create(CI, NOW)
    assert tokens.find(issued.secret, NOW) == issued.token
    assert (issued.token.scopes, issued.token.expires) == ({Scope.RUNS_WRITE}, NOW + timedelta(days=90))
    rows = database.read(lambda db: str(db.execute(text("SELECT * FROM api_tokens")).all()))
    assert issued.secret not in rows
    assert issued.secret not in repr(issued)
    assert tokens.find(issued.secret[:-1] + "~", NOW) is None


@pytest.mark.threat("token-digest")
def test_an_expired_or_revoked_token_is_refused(database: Database) -> None:
    tokens = Tokens(database)
    first = tokens.create(TokenRequest("a", "Ann", frozenset(Scope), days=1), NOW)
    good = tokens.create(TokenRequest("b", "Ann", frozenset(Scope), days=None), NOW)
    later = NOW + timedelta(days=1)
    assert tokens.find(first.secret, later - timedelta(seconds=1)) is not None
    assert tokens.find(first.secret, later) is None
    assert tokens.find(good.secret, NOW + timedelta(days=9999)) is not None
    assert tokens.revoke(good.token.id, NOW)
    assert not tokens.revoke(good.token.id, later)
    assert tokens.find(good.secret, NOW) is None


def test_the_last_use_is_written_once_a_minute(database: Database) -> None:
    tokens = Tokens(database)
    secret = tokens.create(CI, NOW).secret
    uses = [NOW, NOW + SEEN_EVERY / 2, NOW + SEEN_EVERY, NOW + 2 * SEEN_EVERY - timedelta(seconds=1)]
    seen = []
    for moment in uses:
        assert tokens.find(secret, moment) is not None
        seen.append(tokens.all()[0].used)
    assert seen == [NOW, NOW, NOW + SEEN_EVERY, NOW + SEEN_EVERY]


def test_valid_tokens_of_one_owner_have_different_names(database: Database) -> None:
    tokens = Tokens(database)
    first = tokens.create(CI, NOW)
    with pytest.raises(GateError, match="already"):
        tokens.create(CI, NOW)
    tokens.revoke(first.token.id, NOW)
    assert tokens.create(CI, NOW).token.id != first.token.id
