"""Conversion of games and policies between infoset and its peers, and comparison of games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from infoset.efg import (
    ExtensiveForm,
    build_extensive_form,
    forget_non_acting,
    pay_at_end,
    plain_labels,
    save_efg,
)
from infoset.evaluation import evaluate_policy
from infoset.forms import SequenceForm, Treeplex
from infoset.policy import TabularPolicy, uniform_policy
from infoset.tree import GameTree
from infoset.typing import CHANCE

__all__ = ["GameFiles", "difference", "load_form", "load_gap", "save_form"]

SAME = 1e-9


class GameFiles:
    """A game in the formats that peers read, each written when it is first needed.

    The name of an infoset consists of its player and number, so that the policy of a peer can be
    assigned to infosets.

    Parameters
    ----------
    tree : GameTree
    folder : Path
        Folder of the files.
    """

    def __init__(self, tree: GameTree, folder: Path) -> None:
        self.tree = tree
        self.folder = folder

    @cached_property
    def form(self) -> ExtensiveForm:
        """Classical extensive form, with names for the peers."""
        form = plain_labels(forget_non_acting(build_extensive_form(self.tree)))
        names = tuple(
            tuple(f"{player}:{number}" for number in range(len(known)))
            for player, known in enumerate(form.infoset_names)
        )
        return replace(
            pay_at_end(form), infoset_names=names, history_names=("",) * form.num_histories
        )

    @cached_property
    def efg(self) -> str:
        """Path of a file in Gambit's format."""
        path = self.folder / "game.efg"
        save_efg(self.form, path)
        return str(path)

    @cached_property
    def liteefg(self) -> str:
        """Path of a file in LiteEFG's format."""
        path = self.folder / "game.liteefg"
        path.write_text("".join(f"{line}\n" for line in liteefg_lines(self.form)))
        return str(path)

    @cached_property
    def arrays(self) -> str:
        """Path of a file with the arrays of the sequence form."""
        path = self.folder / "game.npz"
        save_form(self.form.sequence_form, path)
        return str(path)


def liteefg_lines(form: ExtensiveForm) -> Iterator[str]:
    """Yield the lines of a file in LiteEFG's format: all histories, then all infosets.

    With the keyword `openspiel`, LiteEFG names each history by the action that leads to it.
    """
    yield f"# Opt {{\n#     openspiel,\n#     players: {form.num_players},\n# }}"
    members: dict[str, list[str]] = {}
    for history in range(form.num_histories):
        actor = int(form.actor[history])
        children = range(form.first_child[history], form.first_child[history + 1])
        names = [f"n{child}" for child in children]
        if actor >= 0:
            infoset = form.infoset_name(actor, int(form.infoset[history, actor]))
            members.setdefault(infoset, []).append(f"n{history}")
            yield f"node n{history} player {actor + 1} actions {' '.join(names)}"
        elif actor == CHANCE:
            chances = (float(form.probabilities[form.chance[child]]) for child in children)
            pairs = (f"{name}={chance!r}" for name, chance in zip(names, chances, strict=True))
            yield f"node n{history} chance actions {' '.join(pairs)}"
        else:
            paid = (f"{p + 1}={float(u)!r}" for p, u in enumerate(form.utility[history]))
            yield f"node n{history} leaf payoffs {' '.join(paid)}"
    for infoset, histories in members.items():
        yield f"infoset {infoset} nodes {' '.join(histories)}"


def save_form(form: SequenceForm, path: Path) -> None:
    """Write parent sequences, numbers of actions and payoffs, in the format of the workers."""
    arrays = {"terminal_sequence": form.terminal_sequence, "payoff": form.payoff}
    for player, plex in enumerate(form.treeplexes):
        arrays[f"parent_{player}"] = plex.parent_sequence
        arrays[f"actions_{player}"] = plex.num_actions
    np.savez(path, **arrays)


def load_form(path: Path, like: SequenceForm) -> SequenceForm:
    """Read the sequence form of a peer's game, without labels.

    Parameters
    ----------
    path : Path
    like : SequenceForm
        Our sequence form of the game, which gives the payoff range.
    """
    with np.load(path) as arrays:
        plexes = [
            _treeplex(arrays[f"parent_{player}"], arrays[f"actions_{player}"])
            for player in range(like.num_players)
        ]
        order = np.lexsort(arrays["terminal_sequence"].T[::-1])
        return replace(
            like,
            treeplexes=tuple(plexes),
            infostate_trees=(),
            terminal_sequence=arrays["terminal_sequence"][order].astype(np.int32),
            payoff=arrays["payoff"][order],
        )


def _treeplex(parents: np.ndarray, num_actions: np.ndarray) -> Treeplex:
    ends = 1 + np.cumsum(num_actions)
    return Treeplex(
        parent_sequence=parents.astype(np.int32),
        first_sequence=(ends - num_actions).astype(np.int32),
        num_actions=num_actions.astype(np.int32),
        num_sequences=1 + int(num_actions.sum()),
    )


def difference(ours: SequenceForm, theirs: SequenceForm) -> str | None:
    """Describe the differences of two sequence forms up to the order of infosets and actions.

    The numbers of infosets and sequences and all payoffs are compared, as well as the values and
    best-response gains of the uniform policy.
    """
    for what, (here, there) in {
        "infosets": [[plex.num_infostates for plex in form.treeplexes] for form in (ours, theirs)],
        "sequences": [[plex.num_sequences for plex in form.treeplexes] for form in (ours, theirs)],
        "payoffs": [[form.num_payoffs] for form in (ours, theirs)],
    }.items():
        if here != there:
            return f"{what}: {here} here, {there} there"
    if not np.allclose(np.sort(ours.payoff, axis=0), np.sort(theirs.payoff, axis=0), atol=SAME):
        return "payoffs differ"
    played = [evaluate_policy(uniform_policy(form)) for form in (ours, theirs)]
    if not np.allclose(played[0].values, played[1].values, atol=SAME):
        return f"values of uniform play: {played[0].values} here, {played[1].values} there"
    if not np.allclose(played[0].gains, played[1].gains, atol=SAME):
        return f"gains against uniform play: {played[0].gains} here, {played[1].gains} there"
    return None


def load_gap(path: Path, form: SequenceForm) -> float:
    """Return the exploitability of a peer's policy, or NashConv if that is not defined."""
    with np.load(path) as arrays:
        weights = [np.clip(arrays[name], 0.0, None) for name in arrays.files]
    measured = evaluate_policy(TabularPolicy.from_weights(form, weights))
    return measured.nash_conv if measured.exploitability is None else measured.exploitability
