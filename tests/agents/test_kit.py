"""What a kit is made of, before anything is started."""

import sys
from pathlib import Path

import pytest

from gate.agents.mcp_servers import ToolKit, check_mcp, needed_variables
from gate.agents.processes import ProgramPlace
from gate.config.targets import Server, ToolLoop
from gate.errors import GateError, MissingKey

LOOP = ToolLoop(
    servers={
        "shop": Server(command=("python", "shop.py"), env=("SHOP_DB", "TOKEN")),
        "yard": Server(url="http://127.0.0.1:9/sse", transport="sse", headers={"Authorization": "YARD_AUTH"}),
    },
    inject={"token": "TOKEN", "session_id": "$session"},
)
VALUES = {"SHOP_DB": "shop.db", "TOKEN": "s3cr3t-token", "YARD_AUTH": "Bearer k3y-0f-the-yard"}
PLACE = ProgramPlace(Path("/nowhere"), Path("/nowhere"), "/usr/bin")


def test_the_variables_that_tools_need_each_once() -> None:
    assert needed_variables(LOOP) == ("TOKEN", "SHOP_DB", "YARD_AUTH")
    assert needed_variables(ToolLoop(fixtures="tools.yaml")) == ()


def test_variables_that_are_not_set_are_reported_at_once() -> None:
    with pytest.raises(MissingKey) as caught:
        ToolKit(LOOP, PLACE, {"TOKEN": "s3cr3t-token", "SHOP_DB": ""})
    assert caught.value.message == "tools need environment variables that are not set: SHOP_DB, YARD_AUTH"
    assert caught.value.exit_code == 3


def test_a_header_that_cannot_be_sent_is_reported_without_its_value() -> None:
    value = "a\nb"
    with pytest.raises(GateError) as caught:
        ToolKit(LOOP, PLACE, {**VALUES, "YARD_AUTH": value})
    assert "the value of YARD_AUTH cannot be sent as the header Authorization" in caught.value.message
    assert value not in caught.value.message


def test_what_is_put_in_for_one_server_alone() -> None:
    dotted = {"shop.two": Server(command=("python", "shop.py"))}
    put = {"shop.token": "TOKEN", "shop.two.id": "$session", "field.token": "$session", "id": "SHOP_DB"}
    loop = ToolLoop(servers={**LOOP.servers, **dotted}, inject=put)
    injection = ToolKit(loop, PLACE, VALUES).toolbox().rules.injection
    assert (injection.values, injection.sessions) == ({"id": "shop.db"}, {"field.token"})
    shop, two = injection.at("the MCP server shop"), injection.at("the MCP server shop.two")
    assert (shop.values, shop.sessions) == ({"id": "shop.db", "token": "s3cr3t-token"}, {"field.token"})
    assert (two.values, two.sessions) == ({"id": "shop.db"}, {"field.token", "id"})


def test_a_missing_package_is_reported_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    check_mcp(ToolLoop(fixtures="tools.yaml"))
    servers = {name: Server(url="http://127.0.0.1:9/sse") for name in ("shop", "yard")}
    with pytest.raises(GateError, match="MCP servers need the mcp package: shop, yard") as caught:
        check_mcp(ToolLoop(servers=servers))
    assert caught.value.exit_code == 2
    assert "pip install '.[agents]'" in caught.value.hint
