"""Barriers, narrow windows, zoom, colors and motion, in every view."""

from __future__ import annotations

import pytest

from tests.web.browser.test_play import begin, play_to_the_end
from tests.web.browser.visitor import expect

pytestmark = pytest.mark.browser
VIEWS = (
    *("explore", "histories", "leaks", "compare", "watch", "play", "review"),
    *("form", "rules", "saved"),
)
NARROW = {"viewport": {"width": 360, "height": 740}}
ZOOMED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
"""A window of 1280 by 800 pixels at 200 %."""


@pytest.fixture
def look(visit, request):
    """A function that opens a view, so that all of it is shown."""

    def look(view, **options):
        place = {"form": "form", "rules": "rules", "saved": "saved"}.get(view, "leduc")
        found = request.getfixturevalue(place)
        visitor = visit(found if view == "saved" else found.url, **options)
        page = visitor.page
        if view in ("explore", "histories"):
            visitor.explore("∅", "call", "raise")
            expect(page.get_by_role("region", name="infostates of player 0")).to_contain_text("Js")
            expect(visitor.open_beliefs()).to_contain_text("Js")
        if view == "histories":
            page.get_by_role("group").filter(has_text="histories").locator("summary").click()
            expect(page.get_by_role("region", name="histories", exact=True)).to_be_visible()
            page.get_by_role("button", name="infostate", exact=True).first.click()
            expect(page.get_by_role("tooltip")).to_be_visible()
        if view == "leaks":
            visitor.show("leaks")
            expect(page.get_by_role("region", name="suboptimal decisions")).to_contain_text("[")
        if view == "compare":
            visitor.show("compare")
            expect(page.get_by_role("region", name="differences")).to_contain_text("Js")
        if view == "watch":
            visitor.explore("∅", "raise")
            visitor.show("watch")
            page.get_by_role("button", name="start", exact=True).click()
            expect(page.get_by_text("at the chosen public state")).to_be_visible(timeout=60_000)
            page.get_by_role("button", name="stop").click()
            expect(page.get_by_text("(interrupted)")).to_be_visible()
        if view == "play":
            begin(visitor, "uniform", 0, seed=1)
            expect(page.get_by_role("group", name="your actions")).to_be_visible()
        if view == "review":
            begin(visitor, "pimc", 1, seed=5)
            play_to_the_end(visitor)
            page.get_by_role("button", name="look at the play").click()
            page.get_by_role("button", name="show what was better").first.click()
        if view == "rules":
            page.get_by_role("button", name="begin").click()
            expect(page.get_by_role("group", name="your actions")).to_be_visible()
        if view == "form":
            visitor.explore("red", "raise")
            expect(page.get_by_role("region", name="history", exact=True)).to_contain_text("sees")
        if view == "saved":
            visitor.explore("∅", "bet")
            expect(visitor.open_beliefs()).to_contain_text("K")
        return visitor

    return look


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_has_barriers_or_runs_over_the_edge(look, axe, view):
    visitor = look(view)
    found = {}
    for scheme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=scheme)
        expect(visitor.page.locator(".infoset")).to_have_attribute("data-scheme", scheme)
        found[scheme] = visitor.barriers(axe)
    assert found == {"light": [], "dark": []}
    assert visitor.small_text(11) == []
    for options in (NARROW, ZOOMED):
        visitor.page.set_viewport_size(options["viewport"])
        assert visitor.overflow() == []
        assert visitor.hidden_controls() == []
        assert visitor.barriers(axe) == []


def test_axe_sees_a_barrier(visit, kuhn, axe):
    visitor = visit(kuhn.url)
    expect(visitor.page.get_by_role("tab")).to_have_count(5)
    visitor.page.evaluate(
        "document.querySelector('select').parentElement.replaceWith("
        "document.querySelector('select'))"
    )
    assert any("select-name" in barrier for barrier in visitor.barriers(axe))


def test_a_wide_part_is_seen(visit, kuhn):
    visitor = visit(kuhn.url, **NARROW)
    heading = visitor.page.get_by_role("heading", level=1)
    heading.evaluate("it => { it.style.flex = '0 0 500px' }")
    assert any(entry.startswith("H1") for entry in visitor.overflow())


@pytest.mark.parametrize("view", ["explore", "watch"])
def test_nothing_moves_if_less_motion_is_preferred(look, view):
    moving = """() => [...document.querySelectorAll("*")].filter(it => {
        const style = getComputedStyle(it);
        return parseFloat(style.transitionDuration) > 0 || style.animationName !== "none";
    }).length"""
    visitor = look(view, reduced_motion="no-preference")
    assert visitor.page.evaluate(moving) > 0
    visitor.page.emulate_media(reduced_motion="reduce")
    assert visitor.page.evaluate(moving) == 0


def test_the_zoom_is_that_of_a_browser(visit, kuhn):
    visitor = visit(kuhn.url, **ZOOMED)
    expect(visitor.page.get_by_role("treeitem").first).to_be_visible()
    assert visitor.page.evaluate("[innerWidth, devicePixelRatio]") == [640, 2]
    assert visitor.overflow() == []
