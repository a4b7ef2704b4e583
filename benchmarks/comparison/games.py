"""Games on which infoset and its peers are compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["GAMES", "BenchmarkGame", "choose"]

GOOFSPIEL = "goofspiel(num_cards={},imp_info=True,points_order={},returns_type=point_difference)"
SEA = (
    "battleship(board_height={},board_width=2,ship_sizes=[2],ship_values=[1],num_shots={},"
    "allow_repeated_shots=False)"
)


@dataclass(frozen=True)
class BenchmarkGame:
    """A game of infoset and its equivalent in OpenSpiel.

    Attributes
    ----------
    name : str
        Name on the command line and in the results.
    title : str
        Title in tables and figures.
    spec : str
        Text that `infoset.load` accepts.
    in_openspiel : bool
        Whether OpenSpiel accepts the same text. Otherwise it reads an `.efg` file.
    times_iterations : bool
        Whether the table of iterations includes the game.
    """

    name: str
    title: str
    spec: str
    in_openspiel: bool = True
    times_iterations: bool = False


GAMES = (
    BenchmarkGame("kuhn", "Kuhn poker", "kuhn_poker"),
    BenchmarkGame("leduc", "Leduc poker", "leduc_poker", times_iterations=True),
    *(
        BenchmarkGame(
            f"leduc_{ranks}", f"Leduc, {ranks} ranks", f"leduc_poker(num_ranks={ranks})", False
        )
        for ranks in (5, 9, 13)
    ),
    BenchmarkGame("dice_1x4", "Liar's dice 1×4", "liars_dice(dice_sides=4)"),
    BenchmarkGame("dice_1x5", "Liar's dice 1×5", "liars_dice(dice_sides=5)"),
    BenchmarkGame("dice_1x6", "Liar's dice 1×6", "liars_dice", times_iterations=True),
    BenchmarkGame("dice_2x3", "Liar's dice 2×3", "liars_dice(numdice=2,dice_sides=3)"),
    *(
        BenchmarkGame(
            f"goofspiel_{cards}_{order}",
            f"Goofspiel {cards}, {order}",
            GOOFSPIEL.format(cards, order),
            times_iterations=order == "random",
        )
        for cards in (4, 5)
        for order in ("descending", "random")
    ),
    BenchmarkGame("battleship_2x2", "Battleship 2×2", SEA.format(2, 4)),
    BenchmarkGame("battleship_3x2", "Battleship 3×2", SEA.format(3, 3)),
    BenchmarkGame("kuhn_3p", "Kuhn, 3 players", "kuhn_poker(players=3)"),
    BenchmarkGame("leduc_3p", "Leduc, 3 players", "leduc_poker(players=3)"),
)


def choose(names: Iterable[str]) -> list[BenchmarkGame]:
    """Return the games with the given names, or all games if there are no names.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    wanted = list(names)
    known = {game.name: game for game in GAMES}
    for name in wanted:
        if name not in known:
            raise ValueError(f"unknown game {name!r}: choose from {', '.join(known)}")
    return [known[name] for name in wanted] or list(GAMES)
