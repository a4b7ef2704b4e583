"""The function `explore`, and its command."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys

import pytest

import infoset
from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.web import make_explorer


def test_policies_are_named_files_methods_and_objects(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = infoset.solve("kuhn_poker", "cfr", iterations=10)
    explorer = make_explorer("kuhn_poker", ["uniform", "lp", result, result.policy])
    assert explorer.policy_names == ["uniform", "lp", "cfr", "policy 4"]
    assert explorer.ask({"ask": "game"})["policies"][1]["nash_conv"] < 1e-9
    assert make_explorer("kuhn_poker", {"mine": result}).policy_names == ["mine"]
    assert make_explorer("kuhn_poker").policy_names == ["uniform"]
    with pytest.raises(UnknownNameError, match="pimcc"):
        make_explorer("kuhn_poker", against=["pimcc"])
    with pytest.raises(UnknownNameError, match="unknown policy 'unifrom'; did you mean uniform"):
        make_explorer("kuhn_poker", ["unifrom"])
    with pytest.raises(PolicyMismatchError):
        make_explorer("leduc_poker", [result])


def test_extensive_forms_are_played_by_their_rules():
    explorer = make_explorer("tests/efg/files/games/one_card_poker.efg")
    assert explorer.ask({"ask": "game"})["kind"] == "form"
    view = explorer.ask({"ask": "play", "opponent": 0, "player": 0, "seed": 0})
    assert view["actions"]


def test_a_game_that_is_too_large_can_be_played():
    with infoset.build_limits(max_worlds=5):
        explorer = make_explorer("kuhn_poker")
        with pytest.raises(ParameterError, match="too large to build"):
            make_explorer("kuhn_poker", ["uniform"])
    about = explorer.ask({"ask": "game"})
    assert (about["kind"], about["opponents"]) == ("rules", ["uniform", "ismcts"])


def test_the_page_ends_with_its_block():
    with infoset.explore("kuhn_poker", open_browser=False) as page:
        port = page._address.port
        assert str(port) in repr(page)
        assert page.url in page._repr_mimebundle_()["text/html"]
    with pytest.raises(OSError, match="refused"):
        http.client.HTTPConnection("127.0.0.1", port, timeout=5).request("GET", "/")


def test_ctrl_c_ends_the_command_with_130():
    command = [sys.executable, "-m", "infoset", "explore", "kuhn_poker", "--no-browser"]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    line = child.stdout.readline()
    assert line.startswith("kuhn_poker is shown at http://127.0.0.1:")
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (130, "", "")
