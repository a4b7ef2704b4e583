"""A writer of the .game files of LiteEFG and other solvers of the sequence form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from infoset.efg.conversions import build_extensive_form
from infoset.efg.efg_writer import plain_labels
from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.histories import TERMINAL
from infoset.efg.information_sets import find_action_mismatch
from infoset.efg.transformations import forget_non_acting
from infoset.errors import UnsupportedGameError
from infoset.game import Game
from infoset.tree import GameTree
from infoset.typing import CHANCE
from infoset.utils.arguments import check_path
from infoset.utils.files import write_output
from infoset.utils.text import distinct_labels


def format_liteefg(game: ExtensiveForm | Game | GameTree) -> str:
    """Return an extensive form, or that of a game, as text in the .game format of LiteEFG.

    The file names each history by its path, such as `/C:red/P1:raise`. Names are printable ASCII
    without spaces. Payoffs are paid at the terminal histories. Numbers are floating-point numbers
    with all their digits.

    Raises
    ------
    UnsupportedGameError
        If legal actions differ within an information set.

    Notes
    -----
    Source: "FileEnv", documentation of LiteEFG 1.0, which reads the format.

    Examples
    --------
    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> root = decision(0, "the door", {"in": terminal(0.5), "out": terminal()})
    >>> form = extensive_form_from_nodes(root, players=1)
    >>> print(format_liteefg(form), end="")
    # Game extensive form
    # Opt {
    #     num_players: 1,
    # }
    node / player 1 actions in out
    node /P1:in leaf payoffs 1=0.5
    node /P1:out leaf payoffs 1=0.0
    infoset 1-1-the_door nodes /
    """
    form = game if isinstance(game, ExtensiveForm) else build_extensive_form(game)
    return "".join(f"{line}\n" for line in _lines(plain_labels(forget_non_acting(form))))


def save_liteefg(game: ExtensiveForm | Game | GameTree, path: str | Path) -> None:
    """Write an extensive form, or that of a game, to a file in the .game format of LiteEFG.

    An existing file is replaced atomically. See `format_liteefg` for the content.

    Raises
    ------
    UnsupportedGameError
        As `format_liteefg`.
    ParameterError
        If the file cannot be written.
    """
    check_path("path", path)
    write_output(path, format_liteefg(game).encode())


def _lines(form: ExtensiveForm) -> Iterator[str]:
    """Yield the lines: the header, all histories, then all information sets."""
    violation = find_action_mismatch(form)
    if violation is not None:
        raise UnsupportedGameError(f"{form.name} cannot be written as .game: {violation}")
    yield f"# Game {form.name}\n# Opt {{\n#     num_players: {form.num_players},\n# }}"
    paths = ["/"]
    members: dict[tuple[int, int], list[str]] = {}
    for history, actor in enumerate(form.actor.tolist()):
        path = paths[history]
        children = range(*form.first_child[history : history + 2].tolist())
        moves = _words([str(action) for action in form.legal_actions(history)])
        mover = "C" if actor == CHANCE else f"P{actor + 1}"
        paths += [f"{path.rstrip('/')}/{mover}:{move}" for move in moves]
        if actor == TERMINAL:
            paid = (f"{p}={float(u)!r}" for p, u in enumerate(form.utility[history], start=1))
            yield f"node {path} leaf payoffs {' '.join(paid)}"
        elif actor == CHANCE:
            chances = (float(form.probabilities[form.chance[child]]) for child in children)
            pairs = (f"{move}={chance!r}" for move, chance in zip(moves, chances, strict=True))
            yield f"node {path} chance actions {' '.join(pairs)}"
        else:
            infoset = actor, int(form.infoset[history, actor])
            members.setdefault(infoset, []).append(path)
            yield f"node {path} player {actor + 1} actions {' '.join(moves)}"
    for (player, number), histories in members.items():
        (name,) = _words([form.infoset_names[player][number]])
        yield f"infoset {player + 1}-{number + 1}-{name} nodes {' '.join(histories)}"


def _words(labels: list[str]) -> list[str]:
    """Return unique labels without spaces, slashes and equals signs, which separate words."""
    words = [label.translate(str.maketrans(" /=", "_|:")) for label in labels]
    # The numbers of repeated labels come after a space, whose replacement can repeat another one.
    while len(set(words)) < len(words):
        words = [str(label).replace(" ", "_") for label in distinct_labels(tuple(words))]
    return words
