"""Texts of foreign files never control the terminal: titles, labels, metadata, names of cards."""

from __future__ import annotations

import io
import json
import sys
from xml.etree import ElementTree

import pytest

import infoset
from infoset.cli.screen import say, say_data, tell
from infoset.cli.tables import NEW_LINE, TextTable
from infoset.policy import save_policy
from infoset.utils.text import CONTROL

CLEAR = "\x1b[2J\x1b]0;mine\x07\x9b32m\u202e"
SHOWN = r"\x1b[2J\x1b]0;mine\x07\x9b32m\u202e"

GAME = f'''EFG 2 R "Title{CLEAR}
forged line" {{ "Alice{CLEAR}" "Bob" }}
c "" 1 "deal{CLEAR}" {{ "high{CLEAR}" 1/2 "low" 1/2 }} 0
p "" 1 1 "Jack{CLEAR}" {{ "bet{CLEAR}" "pa\rss" }} 0
t "" 1 "{CLEAR}" {{ 1 -1 }}
t "" 2 "" {{ -1 1 }}
p "" 1 2 "King
own" {{ "bet" "pass" }} 0
t "" 3 "" {{ 2 -2 }}
t "" 4 "" {{ 0 0 }}
'''


def assert_harmless(ran, count=1):
    """No control character arrives, and the escapes are there instead."""
    for text in (ran.out, ran.err):
        assert not CONTROL.search(text)
    assert ran.out.count(SHOWN) >= count
    assert ran.code == 0


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "foreign.efg"
    path.write_text(GAME, newline="")
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["info"], 1),
        (["check"], 1),
        (["show", "uniform"], 3),
        (["prove"], 1),
        (["match", "uniform", "uniform", "--deals", "2"], 1),
        pytest.param(["solve", "--out", "run"], 1, marks=pytest.mark.broad),
        pytest.param(["compare", "--methods", "lp", "--out", "runs"], 1, marks=pytest.mark.broad),
        pytest.param(["export", "--out", "again.efg"], 1, marks=pytest.mark.broad),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else "",
)
def test_titles_and_labels_of_a_game_file(command, game, arguments, count):
    ran = command(arguments[0], game, *arguments[1:])
    assert_harmless(ran, count)
    if arguments[0] != "check":
        assert "forged line" not in [line.strip() for line in ran.out.splitlines()]


@pytest.mark.broad
def test_a_picture_of_a_game_file_is_valid(command, game, tmp_path):
    ran = command("draw", game, "--out", "tree.svg")
    assert_harmless(ran)
    texts = "".join(ElementTree.parse(tmp_path / "tree.svg").getroot().itertext())
    assert "bet" + SHOWN in texts


def test_a_hand_of_a_game_file(command, game):
    ran = command("play", game, stdin="1\nq\n")
    assert_harmless(ran, 2)


def test_metadata_of_a_policy(command, tmp_path):
    """Whoever writes a policy file can put anything into its metadata."""
    path = tmp_path / "policy.parquet"
    policy = infoset.uniform_policy(infoset.build_sequence_form("kuhn_poker"))
    save_policy(policy, path, {"method": f"{CLEAR}\nverified by the rules"})
    ran = command("show", "kuhn_poker", path)
    assert_harmless(ran)
    assert rf"by {SHOWN}\nverified by the rules" in ran.out.splitlines()[0]
    ran = command("show", "kuhn_poker", path, "--json")
    assert ran.json["metadata"]["method"] == f"{CLEAR}\nverified by the rules"


def test_the_data_of_a_policy_is_escaped_on_a_terminal_only(command, game, monkeypatch):
    ran = command("show", game, "uniform", "--csv")
    assert CLEAR in ran.out
    assert ran.code == 0

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdout", Terminal())
    say_data(lambda stream: stream.write(f'"bet{CLEAR}",0.5\n'))
    assert sys.stdout.getvalue() == f'"bet{SHOWN}",0.5\n'


def test_a_line_stays_a_line(capsys):
    for write in (say, tell):
        write("method\nverified\t\r\x7f ♠ é")
    assert capsys.readouterr() == ("method\\nverified\t\\r\\x7f ♠ é\n",) * 2


def test_a_table_keeps_its_lines_and_columns():
    table = TextTable("name", f">{CLEAR}")
    table.add_row(f"a\nb{CLEAR}", "1")
    table.add_row(f"two{NEW_LINE}lines", "2")
    lines = table.lines()
    assert not any(CONTROL.search(line) for line in lines)
    assert [line.split() for line in lines[2:]] == [[f"a\\nb{SHOWN}", "1"], ["two", "2"], ["lines"]]
    assert len({len(line) for line in (lines[0], lines[2], lines[3])}) == 1


def test_json_stays_json(command, tmp_path):
    """JSON escapes all control characters but one."""
    path = tmp_path / "policy.parquet"
    policy = infoset.uniform_policy(infoset.build_sequence_form("kuhn_poker"))
    save_policy(policy, path, {"method": "a\x7fb\x1b"})
    ran = command("show", "kuhn_poker", path, "--json")
    assert json.loads(ran.out)["metadata"]["method"] == "a\x7fb\x1b"
    assert not CONTROL.search(ran.out)
