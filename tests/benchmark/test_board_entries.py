"""Entries of the leaderboard: measured again, and refused with what is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import infoset
from infoset.benchmark import (
    board_markdown,
    check_board_entry,
    read_board,
    read_board_entry,
    save_board_entry,
)
from infoset.errors import BoardEntryError, PolicyFileError
from infoset.games import load_game
from infoset.tree import build_sequence_form

BOARD = Path(__file__).parents[2] / "docs" / "leaderboard"
SMALL = 5000
"""Number of infostates up to which entries are measured in the tests."""


@pytest.mark.broad
@pytest.mark.parametrize("path", [path for path, _ in read_board(BOARD)], ids=lambda one: one.name)
def test_entries_of_small_games_are_confirmed(path):
    form = build_sequence_form(load_game(read_board_entry(path).game))
    if sum(plex.num_infostates for plex in form.treeplexes) > SMALL:
        pytest.skip("a large game; infoset benchmark --check measures it")
    assert check_board_entry(path).is_confirmed


@pytest.fixture
def entry(tmp_path):
    """Return the folder of an entry: uniform play of Kuhn poker."""
    policy = tmp_path / "uniform.parquet"
    infoset.save_policy(infoset.uniform_policy(infoset.build_sequence_form("kuhn_poker")), policy)
    folder = tmp_path / "board" / "uniform"
    save_board_entry(folder, policy, name="uniform", authors="A. Author", source="none")
    return folder


def rewrite(folder, **changes):
    """Change items of a claim."""
    path = folder / "claim.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_an_entry_is_measured_again(entry):
    checked = check_board_entry(entry)
    assert checked.is_confirmed
    assert checked.exploitability == pytest.approx(11 / 24)
    rewrite(entry, exploitability=0.458)
    assert not check_board_entry(entry).is_confirmed
    rewrite(entry, exploitability=0.5)
    assert check_board_entry(entry).is_confirmed


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "is not the claim of a leaderboard entry"),
        ({"format_version": 2}, "format_version of .* is 2; this version of infoset reads 1"),
        ({"exploitability": "0"}, "is damaged: exploitability is '0', not float"),
        ({"exploitability": True}, "exploitability is True, not float"),
        ({"exploitability": float("nan")}, "exploitability is nan, not float"),
        ({"exploitability": 10**400}, r"exploitability is 10+\.\.\., not float"),
        ({"exploitability": float("inf")}, "is inf; it must be at least 0"),
        ({"exploitability": -1.0}, r"is -1\.0; it must be at least 0"),
        ({"name": ""}, "name of .* is ''; it must be one line of printable text"),
        ({"name": "a\nb"}, "it must be one line of printable text"),
        ({"name": "x\r### leduc_poker"}, "name of .* is 'x.r### leduc_poker'; it must be one line"),
        ({"name": "\x1b[2J\x1b[31mBEST"}, "it must be one line of printable text"),
        ({"authors": "x\u2028y"}, "authors of .* must be one line of printable text"),
        ({"name": "\u202egnp.exe"}, "it must be one line of printable text"),
        ({"name": "uniform "}, "without spaces around it"),
        ({"game": 3}, "game is 3, not str"),
        ({"game": "kuhn_poker()"}, r"is 'kuhn_poker\(\)'; write it as 'kuhn_poker'"),
        ({"game": "KUHN_POKER"}, "write it as 'kuhn_poker', the name by which the board sorts"),
        ({"game": " kuhn_poker "}, "without spaces around it"),
        ({"game": "kuhn_poker(players=2)"}, "write it as 'kuhn_poker'"),
        ({"source": "x" * 501}, "of at most 500 characters"),
        ({"extra": 1}, "'extra' does not belong"),
        ({"policy_sha256": "0"}, "is not the policy of the claim"),
        ({"game": "mine.py:Game"}, "not the name of a registered game"),
    ],
)
def test_wrong_claims_are_refused(entry, changes, message):
    rewrite(entry, **changes)
    with pytest.raises(BoardEntryError, match=message):
        check_board_entry(entry)


def test_damaged_and_missing_files_are_refused(entry, monkeypatch):
    claim = entry / "claim.json"
    text = claim.read_text()
    claim.write_text(text[:-20])
    with pytest.raises(BoardEntryError, match="is damaged"):
        check_board_entry(entry)
    claim.write_text(text + " " * 100_000)
    with pytest.raises(BoardEntryError, match=r"it has more than 100\.0 kB"):
        check_board_entry(entry)
    claim.write_text("{}")
    with pytest.raises(BoardEntryError, match="is not the claim"):
        check_board_entry(entry)
    claim.write_text(text)
    (entry / "policy.parquet").unlink()
    with pytest.raises(BoardEntryError, match="is missing"):
        check_board_entry(entry)
    with pytest.raises(BoardEntryError, match=r"an entry is a folder with claim\.json"):
        check_board_entry(entry / "absent")


def test_a_claim_with_a_key_twice_is_refused(entry):
    """Another reader of JSON could take the other number."""
    claim = entry / "claim.json"
    text = claim.read_text()
    claim.write_text(text.replace('"exploitability"', '"exploitability": 1e-12, "exploitability"'))
    with pytest.raises(BoardEntryError, match="'exploitability' is given twice"):
        check_board_entry(entry)


def test_a_claim_may_come_from_a_pipe_that_nobody_writes(entry):
    (entry / "claim.json").unlink()
    os.mkfifo(entry / "claim.json")
    with pytest.raises(BoardEntryError, match="is damaged"):
        read_board_entry(entry)


def test_an_entry_is_written_completely_or_not_at_all(entry, tmp_path):
    about = {"name": "uniform", "authors": "A", "source": "none"}
    with pytest.raises(BoardEntryError, match="exists; give the name of a new folder"):
        save_board_entry(entry, entry / "policy.parquet", **about)
    for wrong, error in (("absent.parquet", PolicyFileError), ("board", PolicyFileError)):
        with pytest.raises(error):
            save_board_entry(tmp_path / "new", tmp_path / wrong, **about)
    with pytest.raises(BoardEntryError, match="name of"):
        save_board_entry(tmp_path / "new", entry / "policy.parquet", **{**about, "name": ""})
    assert not (tmp_path / "new").exists()


def test_a_board_has_no_entry_twice_and_is_sorted(entry, tmp_path):
    board = entry.parent
    policy = tmp_path / "best.parquet"
    infoset.save_policy(infoset.load_policy("zoo:kuhn_poker"), policy)
    save_board_entry(board / "best", policy, name="a|b <i>", authors="B", source="none")
    entries = [one for _, one in read_board(board)]
    assert [one.name for one in entries] == ["a|b <i>", "uniform"]
    page = board_markdown(entries)
    assert "| a\\|b &lt;i&gt; | 0 | B | none |" in page
    save_board_entry(
        board / "again", entry / "policy.parquet", name="other", authors="B", source="none"
    )
    with pytest.raises(BoardEntryError, match=r"uniform and .*again are the same entry: equal"):
        read_board(board)


def test_a_policy_that_is_saved_again_is_the_same(entry, tmp_path):
    """Metadata is not part of what is compared."""
    policy = tmp_path / "again.parquet"
    infoset.save_policy(infoset.load_policy(entry / "policy.parquet"), policy, {"remark": "mine"})
    saved = save_board_entry(entry.parent / "b", policy, name="b", authors="B", source="none")
    assert saved.policy_sha256 != read_board_entry(entry).policy_sha256
    with pytest.raises(BoardEntryError, match="equal policies in kuhn_poker; remove one"):
        read_board(entry.parent)
    rewrite(entry.parent / "b", name="uniform")
    with pytest.raises(BoardEntryError, match="the same entry: 'uniform' in kuhn_poker"):
        read_board(entry.parent)


def test_backslashes_do_not_make_markup(entry):
    rewrite(entry, name="a\\|b\\[x](http://e)")
    page = board_markdown([read_board_entry(entry)])
    assert "| a\\\\\\|b\\\\\\[x](http://e) |" in page
    html = pytest.importorskip("markdown").markdown(page, extensions=["tables"])
    assert "<a" not in html
    assert "<td>a\\|b\\[x](http://e)</td>" in html
