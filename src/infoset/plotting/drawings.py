"""`draw`: a game as a picture, to look at in a notebook or to save."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infoset.efg import ExtensiveForm
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.front import GameLike, resolve_game, resolve_policy
from infoset.game import Game
from infoset.plotting.form_view import form_picture
from infoset.plotting.history_view import history_picture
from infoset.plotting.infostate_view import infostate_picture
from infoset.plotting.picture import Picture
from infoset.plotting.public_view import public_picture
from infoset.plotting.sheet import draw_sheet
from infoset.plotting.style import FONT
from infoset.plotting.subject import Limits, Subject, compile_part
from infoset.policy import TabularPolicy
from infoset.tree import GameTree, build_tree
from infoset.typing import Player
from infoset.utils.arguments import check_choice, check_player
from infoset.utils.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MOST_NODES", "VIEWS", "Drawing", "check_target", "draw"]

VIEWS: Final = ("history", "infostate", "public", "all")
"""The views of a game that can be drawn; `all` is the three on one sheet."""

MOST_NODES: Final = 150
DOTS_PER_INCH, MOST_DOTS = 200, 20_000
FALLBACK_FONTS: Final = "Verdana, sans-serif"

UNTURNED: Final = re.compile(r' transform="rotate\(-0 [-. \d]+\)"')
"""What matplotlib writes at every text that is not turned."""

FORMATS: Final[Mapping[str, dict[str, Any]]] = {
    ".svg": {"format": "svg", "metadata": {"Date": None}},
    ".png": {"format": "png"},
    ".pdf": {"format": "pdf", "metadata": {"CreationDate": None}},
}


@dataclass(frozen=True)
class Drawing:
    """One or more pictures on a sheet. A notebook shows it; `save` writes a file.

    The same pictures give the same bytes.

    Attributes
    ----------
    pictures : tuple[Picture, ...]
        From the top.
    """

    pictures: tuple[Picture, ...]

    def figure(self) -> Figure:
        """Return it as a matplotlib figure of its own, unknown to `pyplot`, to draw more on it.

        Raises
        ------
        MissingExtraError
            If pygraphviz is not installed.
        """
        return draw_sheet(self.pictures)

    def svg(self) -> str:
        """Return it as SVG: texts as text, in a font that any browser can replace."""
        text = UNTURNED.sub("", self._bytes(".svg").decode())
        return text.replace(f"'{FONT}'", f"'{FONT}', {FALLBACK_FONTS}")

    def save(self, path: str | Path) -> None:
        """Write a file, `.svg`, `.png` or `.pdf` by its name.

        Raises
        ------
        ParameterError
            If the name ends otherwise, or there is no such folder.
        OSError
            If the file cannot be written.
        """
        suffix = check_target(path)
        data = self.svg().encode() if suffix == ".svg" else self._bytes(suffix)
        write_bytes(path, data)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _bytes(self, suffix: str) -> bytes:
        from matplotlib import rc_context

        figure, buffer = self.figure(), BytesIO()
        dots = min(DOTS_PER_INCH, MOST_DOTS / max(figure.get_size_inches()))
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "infoset", "pdf.fonttype": 42}):
            figure.savefig(buffer, dpi=dots, **FORMATS[suffix])
        return buffer.getvalue()


def check_target(path: str | Path) -> str:
    """Return the format of a file to write, by the ending of its name, in small letters.

    Raises
    ------
    ParameterError
        If no picture can be written to a file of that name, or there is no such folder.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        known = ", ".join(FORMATS)
        raise ParameterError(f"cannot write a picture to {str(path)!r}; end its name in {known}")
    folder = Path(path).parent
    if not folder.is_dir():
        raise ParameterError(f"there is no folder {folder} for {Path(path).name}; make it first")
    return suffix


def draw(
    game: GameLike,
    view: str = "history",
    *,
    player: Player = 0,
    policy: TabularPolicy | str | Path | None = None,
    depth: int | None = None,
    max_nodes: int = MOST_NODES,
    memory: int | None = None,
) -> Drawing:
    """Draw a game: its histories, the infostates of a player, its public states, or all three.

    What is too large is cut at a depth, and the picture says what is left out.

    Parameters
    ----------
    game : str, Game, GameTree or ExtensiveForm
        An extensive form has the view `history` only.
    view : str
        `history`: all histories, with the infosets of every player, on and off turn, and public
        states as regions. `infostate`: what one player may know. `public`: what everybody
        knows, and what each player may know besides. `all`: the three, one below the other.
    player : Player
        Whose infostates to draw.
    policy : TabularPolicy, str or Path, optional
        A policy, its file, or `uniform`: edges carry probabilities, and are the wider the more
        probable they are.
    depth : int, optional
        How many steps to draw at most.
    max_nodes : int
        How many histories, infostates or public states to draw at most.
    memory : int, optional
        Bytes allowed for the game tree, which a policy needs whole; by default a share of what
        is free.

    Raises
    ------
    UnknownNameError
        If there is no such view or game.
    ParameterError
        If the player, the depth or the number of nodes is out of range.
    UnsupportedGameError
        If an extensive form is to show what it does not have.
    GameTooLargeError
        If a policy is given, which needs the whole tree, and that does not fit.
    PolicyFileError, PolicyMismatchError
        If the policy cannot be read, or is for another game.

    Examples
    --------
    >>> drawing = draw("kuhn_poker", "public")
    >>> len(drawing.pictures[0].nodes)
    25
    >>> drawing.save("kuhn_poker.svg")

    Source: Kovařík et al. (2022), Figure 3.
    """
    check_choice("view", view, VIEWS)
    limits = make_limits(depth, max_nodes)
    loaded = resolve_game(game)
    check_player(player, loaded.num_players, str(loaded))
    if isinstance(loaded, ExtensiveForm):
        return _draw_form(loaded, view, limits, policy)
    is_for_any_part = policy is None or policy == "uniform"
    if isinstance(loaded, Game) and is_for_any_part:
        subject = compile_part(loaded, depth)
    else:
        tree = loaded if isinstance(loaded, GameTree) else build_tree(loaded, memory=memory)
        subject = Subject(tree, tree.num_histories)
    return draw_subject(subject, view, player=player, limits=limits, policy=policy)


def make_limits(depth: int | None, max_nodes: int) -> Limits:
    """Return limits that make sense.

    Raises
    ------
    ParameterError
    """
    if depth is not None and depth < 0:
        raise ParameterError(f"depth is {depth}; it counts steps from the root, so it is 0 or more")
    if max_nodes < 1:
        raise ParameterError(f"max_nodes is {max_nodes}; draw at least 1 node")
    return Limits(depth, max_nodes)


def draw_subject(
    subject: Subject,
    view: str,
    *,
    player: Player,
    limits: Limits,
    policy: TabularPolicy | str | Path | None = None,
) -> Drawing:
    """Draw a view of what is compiled; parameters are those of `draw`, checked."""
    found = None if policy is None else resolve_policy(policy, subject.tree.sequence_form)
    pictures = {
        "public": lambda: public_picture(subject, limits, found),
        "infostate": lambda: infostate_picture(subject, player, limits, found),
        "history": lambda: history_picture(subject, limits, found),
    }
    chosen = pictures if view == "all" else [view]
    return Drawing(tuple(pictures[name]() for name in chosen))


def _draw_form(
    form: ExtensiveForm, view: str, limits: Limits, policy: TabularPolicy | str | Path | None
) -> Drawing:
    if view != "history":
        raise UnsupportedGameError(
            f"{form} is an extensive form, which has no view {view!r}; draw view 'history', or "
            "the game that infoset.efg.as_game makes of it"
        )
    found = None if policy is None else resolve_policy(policy, form.sequence_form)
    return Drawing((form_picture(form, limits, found),))
