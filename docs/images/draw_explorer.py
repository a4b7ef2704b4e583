"""Take the pictures of the page of `infoset explore` in the documentation.

    python docs/images/draw_explorer.py

It needs the extra `browser` and Chromium. Numbers that depend on the clock differ between runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

import infoset

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parent
CHROMIUM = "/usr/bin/chromium"
SIZE = {"width": 760, "height": 900}
"""The width at which the documentation shows the pictures, so that texts have their real size."""
PIXELS = 1.5
"""Pixels of a picture for each pixel of the page."""
SEED = "crypto.getRandomValues = (numbers) => numbers.fill(6)"
"""The page draws the seeds of plays at random; here all plays are one play."""


def main() -> None:
    """Take all pictures."""
    policies = ["lp", "uniform"]
    with (
        infoset.explore(
            "leduc_poker", policies, ["pimc"], open_browser=False
        ) as page,
        sync_playwright() as playwright,
    ):
        options = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        draw_explore(opened(browser, page.url))
        draw_leaks(opened(browser, page.url))
        draw_compare(opened(browser, page.url))
        draw_watch(opened(browser, page.url, "dark"))
        draw_play(opened(browser, page.url))
        draw_hands(browser)
        browser.close()


def draw_hands(browser: Browser) -> None:
    """Take the turn of a poker endgame: after a check, player 1 acts."""
    game = "nolimit_endgame(board=Ks9d8h4s,max_raises=2,ranges='22+,A2+,KT+,QT+')"
    with infoset.explore(game, ["dcfr"], open_browser=False) as page:
        tab = browser.new_context(
            viewport=SIZE, device_scale_factor=PIXELS
        ).new_page()
        tab.goto(page.url)
        tab.get_by_role("treeitem", name="check").first.click()
        tab.get_by_role("heading", name="player 1 acts").wait_for()
        tab.get_by_role("region", name="hands of player 1").wait_for()
        tab.get_by_role("heading", name="It believes that").wait_for()
        tab.evaluate("scrollTo(0, 0)")
        tab.mouse.move(1, 1)
        tab.screenshot(path=IMAGES / "explore_hands.png")


def opened(browser: Browser, url: str, scheme: str = "light") -> Page:
    """Return a new page that has loaded the game."""
    tab = browser.new_context(
        viewport=SIZE, device_scale_factor=PIXELS, color_scheme=scheme
    ).new_page()
    tab.add_init_script(SEED)
    tab.goto(url)
    tab.get_by_role("treeitem", name="∅").click()
    return tab


def draw_explore(tab: Page) -> None:
    """Take a public state of Leduc poker: after a raise, player 1 acts."""
    tab.get_by_role("treeitem", name="raise").first.click()
    tab.get_by_role("heading", name="player 1 acts").wait_for()
    tab.get_by_role("button", name="Qs", exact=True).first.click()
    tab.get_by_role("heading", name="It believes that").wait_for()
    tab.evaluate("scrollTo(0, 0)")
    tab.mouse.move(1, 1)
    tab.wait_for_timeout(500)  # bars move
    tab.screenshot(path=IMAGES / "explore.png")


def draw_compare(tab: Page) -> None:
    """Take an equilibrium beside uniform play."""
    tab.get_by_role("tab", name="compare").click()
    differences = tab.get_by_role("region", name="differences")
    differences.get_by_role("row").nth(1).wait_for()
    tab.screenshot(path=IMAGES / "explore_compare.png")


def draw_leaks(tab: Page) -> None:
    """Take the leaks of uniform play."""
    tab.get_by_role("tab", name="leaks").click()
    tab.get_by_role("combobox", name="policy").select_option(label="uniform")
    tab.get_by_role("region", name="suboptimal decisions").get_by_role("row").nth(
        1
    ).wait_for()
    tab.screenshot(path=IMAGES / "explore_leaks.png")


def draw_watch(tab: Page) -> None:
    """Take CFR+ and DCFR while they run."""
    tab.get_by_role("treeitem", name="call").first.click()
    tab.get_by_role("tab", name="watch").click()
    for method in ("cfr+", "dcfr"):
        tab.get_by_role("combobox", name="method").select_option(label=method)
        tab.get_by_role("button", name="start").click()
    tab.wait_for_timeout(8000)
    tab.screenshot(path=IMAGES / "explore_watch.png")


def draw_play(tab: Page) -> None:
    """Take the review of a play against the equilibrium."""
    tab.get_by_role("tab", name="play").click()
    tab.get_by_role("button", name="begin").click()
    actions = tab.get_by_role("group", name="your actions").get_by_role("button")
    result = tab.get_by_text("The play is over")
    actions.first.or_(result).wait_for()
    while not result.is_visible():
        with tab.expect_response("**/ask"):
            (actions.last if actions.count() < 3 else actions.nth(1)).click()
        tab.locator("[aria-busy=false]").wait_for()
    tab.get_by_role("button", name="look at the play").click()
    tab.get_by_role("button", name="show what was better").first.click()
    tab.get_by_text("(the truth)").first.wait_for()
    tab.screenshot(path=IMAGES / "explore_play.png")


if __name__ == "__main__":
    main()
