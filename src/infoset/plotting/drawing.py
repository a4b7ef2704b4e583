"""Drawings of games, for notebooks and files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infoset.efg import ExtensiveForm
from infoset.errors import (
    GameTooLargeError,
    ParameterError,
    PolicyMismatchError,
    UnsupportedGameError,
)
from infoset.front import (
    GameLike,
    form_of_policies,
    resolve_average,
    resolve_game,
    to_compiled,
)
from infoset.game import Game
from infoset.game.broken_rules import check_num_players
from infoset.game.infostate import value_text
from infoset.game.player_names import find_player
from infoset.plotting.figure_files import check_target, figure_bytes
from infoset.plotting.history_view import form_picture, history_picture
from infoset.plotting.infostate_view import infostate_picture, public_picture
from infoset.plotting.payoff_tables import PayoffTable, payoff_table
from infoset.plotting.pen import FONT
from infoset.plotting.picture import Picture
from infoset.plotting.policy_bars import plot_policy
from infoset.plotting.sheet import draw_sheet
from infoset.plotting.truncation import Limits, TruncatedTree, compile_part
from infoset.policy import TabularPolicy, tabulate, transfer_policy
from infoset.tree import (
    GameTree,
    build_limits,
    build_public_form,
    build_tree,
    public_rules_of,
)
from infoset.typing import Player
from infoset.utils.arguments import check_choice
from infoset.utils.files import write_output
from infoset.views.labels import hand_class

if TYPE_CHECKING:
    from matplotlib.figure import Figure


VIEWS: Final = ("history", "infostate", "public", "all", "payoffs", "policy")
"""Views of a game; `all` draws the first three on one sheet."""

PLURALS: Final = {"histories": "history", "infostates": "infostate"}
"""Other names of views, as tables and messages write them."""

MAX_NODES, MAX_ROWS = 150, 24
"""Default limits: of nodes in a picture, and of rows for each player in a picture of a policy."""

DOTS_PER_INCH, MAX_DOTS = 200, 20_000
FALLBACK_FONTS: Final = "Verdana, sans-serif"

UNTURNED: Final = re.compile(r' transform="rotate\(-0 [-. \d]+\)"')
"""Rotation by 0 degrees, which matplotlib writes for every text."""


@dataclass(frozen=True)
class Drawing:
    """One or more pictures on a sheet. A notebook shows it; `save` writes a file.

    Equal pictures produce identical files.
    """

    pictures: tuple[Picture, ...]
    """From top to bottom."""

    def figure(self) -> Figure:
        """Return a new matplotlib figure, not registered with `pyplot`, that can be drawn on.

        Raises
        ------
        MissingExtraError
            If pygraphviz is not installed.
        """
        return draw_sheet(self.pictures)

    def svg(self) -> str:
        """Return the drawing as SVG; texts stay texts, with fallback fonts for browsers."""
        text = UNTURNED.sub("", self._bytes(".svg").decode())
        return text.replace(f"'{FONT}'", f"'{FONT}', {FALLBACK_FONTS}")

    def save(self, path: str | Path) -> None:
        """Write a file; the extension (`.svg`, `.png` or `.pdf`) selects the format.

        Raises
        ------
        ParameterError
            If the extension is unknown, the folder does not exist, or the file cannot be written.
        """
        suffix = check_target(path)
        data = self.svg().encode() if suffix == ".svg" else self._bytes(suffix)
        write_output(path, data)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _bytes(self, suffix: str) -> bytes:
        figure = self.figure()
        dots = min(DOTS_PER_INCH, MAX_DOTS / max(figure.get_size_inches()))
        return figure_bytes(figure, suffix, dots)


@dataclass(frozen=True)
class TableDrawing(Drawing):
    """A payoff table, shown and saved like other drawings; it has no pictures of trees."""

    table: PayoffTable

    def figure(self) -> Figure:
        """Return a new matplotlib figure, not registered with `pyplot`."""
        return self.table.figure()


@dataclass(frozen=True)
class PolicyDrawing(Drawing):
    """A policy, shown and saved like other drawings; it has no pictures of trees."""

    policy: TabularPolicy
    max_rows: int
    line: str | None = None

    def figure(self) -> Figure:
        """Return a new matplotlib figure, not registered with `pyplot`."""
        return plot_policy(self.policy, max_rows=self.max_rows, line=self.line)


def draw(
    game: GameLike,
    view: str = "history",
    *,
    player: Player | str = 0,
    policy: TabularPolicy | str | Path | None = None,
    line: str | None = None,
    depth: int | None = None,
    max_nodes: int | None = None,
    memory: int | None = None,
) -> Drawing:
    """Draw a game: its histories, infostates of a player, public states, payoffs, or a policy.

    A large tree is truncated at a depth, and a remark in the picture says how many are omitted.

    Parameters
    ----------
    game : str, Game, GameTree or ExtensiveForm
        An extensive form has the views `history`, `payoffs` and `policy` only.
    view
        `history`: all histories, with the infosets of every player, also where the player does not
        act, and public states as regions. `infostate`: the infostates of one player. `public`: the
        public states, with the infostates of each player there. `all`: these three views on one
        sheet. `payoffs`: the payoff table of a two-player game with few strategies. `policy`: the
        action probabilities of a policy on any form, as `plot_policy` draws them. If all hands are
        two cards, they are drawn as squares, one line per picture. `histories` and `infostates` are
        accepted, too.
    player
        Player of the view `infostate`.
    policy
        A policy, its file, or `uniform`; the average of a correlated policy. Edges are labeled
        with their probabilities, and their widths grow with them. At infostates to which the others
        do not lead, the steps of own actions have the probabilities of the actions.
    line
        For the view `policy` of hands of two cards: the line to draw, as in `plot_hands`.
    depth
        Maximum number of steps from the root to draw.
    max_nodes
        Maximum number of histories, infostates or public states to draw, by default 150; in the
        view `policy`, of rows for each player, by default 24.
    memory
        Bytes allowed for the game tree, which is built in full if a policy is given and the tree
        fits; by default a fraction of the free memory.

    Raises
    ------
    ParameterError
        If the player, the depth or the number of nodes is out of range, the view `policy` has no
        policy, or a line is given for another picture.
    UnsupportedGameError
        If an extensive form is drawn in another view, or a payoff table is not possible.
    GameTooLargeError
        If the first step alone is too large to draw, or no form that the policy needs fits.
    PolicyFileError, PolicyMismatchError
        If the policy cannot be read or belongs to another game.

    Examples
    --------
    >>> drawing = draw("kuhn_poker", "public")
    >>> len(drawing.pictures[0].nodes)
    25
    >>> drawing.save("kuhn_poker.svg")

    Source: Kovařík et al. (2022), Figure 3.
    """
    view = PLURALS.get(view, view)
    check_choice("view", view, VIEWS)
    limits = make_limits(depth, MAX_NODES if max_nodes is None else max_nodes)
    loaded = resolve_game(game)
    if isinstance(loaded, Game):
        check_num_players(loaded)
    chosen = find_player(loaded, player)
    with build_limits(memory=memory):
        if view == "policy":
            return _draw_policy(loaded, policy, max_nodes or MAX_ROWS, line)
        if line is not None:
            raise ParameterError(
                f"line={line!r} is for the view 'policy': give view='policy' (--view policy)"
            )
        if view == "payoffs":
            return _draw_payoffs(loaded, policy)
        if isinstance(loaded, ExtensiveForm):
            return _draw_form(loaded, view, limits, policy)
        if isinstance(loaded, Game) and (policy is None or policy == "uniform"):
            truncated = compile_part(loaded, depth)
            return draw_subject(truncated, view, player=chosen, limits=limits, policy=policy)
        try:
            tree = to_compiled(loaded)
            assert isinstance(tree, GameTree)
            truncated = TruncatedTree(tree, tree.num_histories)
        except GameTooLargeError:
            assert isinstance(loaded, Game)
            assert policy is not None
            # The policy is found on a form without a tree, and read off at the steps drawn.
            found = _resolved(policy, loaded)
            truncated = compile_part(loaded, depth)
            policy = tabulate(truncated.tree.sequence_form, found)
        return draw_subject(truncated, view, player=chosen, limits=limits, policy=policy)


def make_limits(depth: int | None, max_nodes: int) -> Limits:
    """Return checked limits."""
    if depth is not None and depth < 0:
        raise ParameterError(f"depth={depth} must be at least 0; it counts steps from the root")
    if max_nodes < 1:
        raise ParameterError(f"max_nodes={max_nodes} must be at least 1")
    return Limits(depth, max_nodes)


def draw_subject(
    truncated: TruncatedTree,
    view: str,
    *,
    player: Player,
    limits: Limits,
    policy: TabularPolicy | str | Path | None = None,
) -> Drawing:
    """Draw a view of a compiled game; the parameters are those of `draw`, checked."""
    found = None if policy is None else resolve_average(policy, truncated.tree.sequence_form)
    pictures = {
        "public": lambda: public_picture(truncated, limits, found),
        "infostate": lambda: infostate_picture(truncated, player, limits, found),
        "history": lambda: history_picture(truncated, limits, found),
    }
    chosen = pictures if view == "all" else [view]
    return Drawing(tuple(pictures[name]() for name in chosen))


def _draw_payoffs(
    game: Game | GameTree | ExtensiveForm,
    policy: TabularPolicy | str | Path | None,
) -> Drawing:
    if policy is None:
        return TableDrawing((), payoff_table(game))
    built = build_tree(game) if isinstance(game, Game) else game
    return TableDrawing((), payoff_table(built, resolve_average(policy, built.sequence_form)))


def _draw_policy(
    game: Game | GameTree | ExtensiveForm,
    policy: TabularPolicy | str | Path | None,
    max_rows: int,
    line: str | None,
) -> Drawing:
    if policy is None:
        raise ParameterError(
            "the view 'policy' draws a policy, which is missing: give policy= (--policy POLICY)"
        )
    found = _resolved(policy, game)
    return PolicyDrawing((), _with_hands(found, game), max_rows, line)


def _resolved(
    policy: TabularPolicy | str | Path, game: Game | GameTree | ExtensiveForm
) -> TabularPolicy:
    """Return a policy on the form to which it belongs."""
    if not isinstance(policy, TabularPolicy):
        form = form_of_policies(game, policy)
        return resolve_average(policy, form)
    if policy.form.name != str(game):
        raise PolicyMismatchError(
            f"the policy is for {policy.form.name}, not for {game}; give a policy for this game"
        )
    return policy


def _with_hands(policy: TabularPolicy, game: Game | GameTree | ExtensiveForm) -> TabularPolicy:
    """Return a policy of a game of two cards each on the public form, whose picture has squares."""
    played = game.game if isinstance(game, GameTree) else game
    rules = public_rules_of(played) if isinstance(played, Game) else None
    if policy.form.num_hands is not None or rules is None:
        return policy
    if not all(hand_class(value_text(hand.label)) for p in range(2) for hand in rules.hands(p)):
        return policy
    assert isinstance(played, Game)
    form = build_public_form(played, merge_symmetric=False)
    return transfer_policy(policy, form)


def _draw_form(
    form: ExtensiveForm, view: str, limits: Limits, policy: TabularPolicy | str | Path | None
) -> Drawing:
    if view != "history":
        raise UnsupportedGameError(
            f"{form} is an extensive form, which has no view {view!r}; draw the view 'history', "
            "or convert it to a game with infoset.efg.as_game"
        )
    found = None if policy is None else resolve_average(policy, form.sequence_form)
    return Drawing((form_picture(form, limits, found),))
