import pytest
from playwright.sync_api import Page, expect

from gate.store.sql.database import Database
from gate.store.sql.suites import Suites
from gate.web import addresses
from tests.support import browsing

HOSTILE = (
    "</textarea></title><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\"'{{7*7}}"
)


def test_mistakes_are_told_while_one_types(page: Page, database: Database) -> None:
    browsing.add(database, "support", {"name": "a", "prompt": "Hi"})
    page.goto(addresses.case("support", "a"))
    threshold = page.get_by_label("Threshold")
    threshold.fill("7")
    told = page.locator("[data-field=threshold] .errors")
    expect(told).to_contain_text("less than or equal to 1, not 7")
    expect(threshold).to_have_attribute("aria-invalid", "true")
    threshold.fill("0.7")
    expect(told).to_be_empty()
    assert len(Suites(database).case("support", "a")) == 1


def test_enter_saves_and_does_not_remove_a_round(page: Page, database: Database) -> None:
    browsing.add(database, "support", {"name": "a", "rounds": [{"prompt": "Hi"}, {"prompt": "Ho"}]})
    page.goto(addresses.case("support", "a"))
    page.get_by_label("Threshold").last.fill("0.5")
    page.get_by_label("Threshold").last.press("Enter")
    expect(page.get_by_role("status").first).to_have_text("Saved.")
    entry = Suites(database).case("support", "a")[0].entry
    assert entry is not None and entry["judge_threshold"] == 0.5


@pytest.mark.threat("web-text")
def test_what_strangers_write_is_text_everywhere(page: Page, database: Database) -> None:
    name = HOSTILE[:180].replace("/", "|")
    entry = {
        **{"name": name, "description": HOSTILE, "prompt": HOSTILE, "expected_tools": [HOSTILE]},
        **{"judge_prompt": HOSTILE, "expected": HOSTILE, "slices": {"a<b>": name}, "facts": HOSTILE},
    }
    browsing.add(database, name, entry)
    for address in (
        *("/", addresses.suite(name, "", q=HOSTILE), addresses.suite(name)),
        *(addresses.suite(name, "history"), addresses.case(name, name, "history")),
    ):
        page.goto(address)
        assert "owned" not in page.title().replace("document.title='owned'", "")
        assert page.locator("img[src=x]").count() == 0
    page.goto(addresses.case(name, name))
    assert page.get_by_label("User prompt").input_value() == HOSTILE
    assert page.get_by_role("heading", level=1).inner_text() == name
    page.get_by_label("Threshold").fill("<b>7")
    expect(page.locator("[data-field=threshold] .errors")).to_contain_text("<b>7")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Threshold")).to_have_value("<b>7")
