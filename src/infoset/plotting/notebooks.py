"""Notebook displays of games, trees and policies."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby, islice
from operator import attrgetter

from infoset.efg import ExtensiveForm
from infoset.errors import GameTooLargeError, InfosetError
from infoset.game import Game, player_name
from infoset.plotting.drawing import draw, draw_subject
from infoset.plotting.truncation import Limits, compile_part
from infoset.policy import PolicyRow, TabularPolicy
from infoset.tree import GameTree

MAX_NODES, MAX_WORLDS, MAX_ROWS = 80, 2_000, 40
BAR_COLOR, BAR_WIDTH = "#9db8d9", 60


def game_svg(game: Game) -> str | None:
    """Return the tree of histories of a game as SVG, truncated if it is large.

    The result is None if the game cannot be drawn. A notebook then shows it as text.
    """
    limits = Limits(depth=None, nodes=MAX_NODES)
    try:
        truncated = compile_part(game, max_worlds=MAX_WORLDS)
        return draw_subject(truncated, "history", player=0, limits=limits).svg()
    except InfosetError:
        return None


def tree_svg(tree: GameTree | ExtensiveForm) -> str | None:
    """Return the tree of histories as SVG, truncated if it is large; None if it cannot be drawn."""
    try:
        return draw(tree, max_nodes=MAX_NODES).svg()
    except InfosetError:
        return None


def policy_html(policy: TabularPolicy) -> str:
    """Return a policy as an HTML table of the first infostates of each player.

    If they are too many to list, it says so.
    """
    parts = [f"<p><b>{escape(policy.form.name)}</b></p>"]
    try:
        listed = policy.sorted_rows()
    except GameTooLargeError as error:
        return f"<div>{parts[0]}<p>{escape(str(error))}</p></div>"
    for player, rows in groupby(listed, key=attrgetter("player")):
        parts.append(f"<p>{escape(player_name(policy.form, player))}</p>")
        parts.append(_table(rows))
    return f"<div>{''.join(parts)}</div>"


def _table(rows: Iterator[PolicyRow]) -> str:
    head = "<tr><th>own reach</th><th>infostate</th><th>policy</th></tr>"
    shown = [_row(row) for row in islice(rows, MAX_ROWS)]
    omitted = sum(1 for _ in rows)
    if omitted:
        shown.append(f"<tr><td></td><td>… {omitted:,} more infostates</td><td></td></tr>")
    return f"<table>{head}{''.join(shown)}</table>"


def _row(row: PolicyRow) -> str:
    probabilities = zip(row.actions, row.probabilities.tolist(), strict=True)
    cells = "".join(
        _probability_bar(str(action), probability) for action, probability in probabilities
    )
    return f"<tr><td>{row.own_reach:.3f}</td><td>{escape(row.infostate)}</td><td>{cells}</td></tr>"


def _probability_bar(action: str, probability: float) -> str:
    """Return an action with its probability, on a bar of proportional length."""
    bar = f"linear-gradient({BAR_COLOR}, {BAR_COLOR}) 0 / {probability * 100:.1f}% 100% no-repeat"
    style = f"display: inline-block; min-width: {BAR_WIDTH}px; margin-right: 1em; background: {bar}"
    return f'<span style="{style}">{escape(action)} {probability:.3f}</span>'
