"""The command `infoset explore`: its mistakes, and saved pages."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["kuhn_pokr"], "did you mean kuhn_poker"),
        (["kuhn_poker", "--policy", "nothing.parquet"], "nothing.parquet"),
        (["kuhn_poker", "--depth", "3"], "--depth needs --out"),
        (["kuhn_poker", "--port", "70000"], "65535"),
    ],
)
def test_mistakes_are_one_line(command, arguments, words):
    ran = command("explore", *arguments, "--no-browser")
    assert ran.code == 2
    assert words in ran.err
    assert "shown at" not in ran.out


def test_a_page_is_saved_by_the_command(command):
    ran = command("explore", "kuhn_poker", "--policy", "lp", "--out", "page.html")
    assert (ran.code, ran.out) == (0, "saved in page.html\n")
