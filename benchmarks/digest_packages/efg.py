"""Extensive forms: conversions, padding, timing, contraction, and files of Gambit."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import infoset
from digest_packages.common import Cells, form_numbers, game_of, tree_numbers, tree_of
from infoset.efg import (
    as_game,
    augment,
    build_extensive_form,
    chance,
    closure,
    common_knowledge_sets,
    decision,
    exact_timing,
    extensive_form_from_nodes,
    find_absent_mindedness,
    find_action_mismatch,
    find_hidden_reward,
    find_public_mismatch,
    find_recall_violation,
    find_thick_infoset,
    find_thick_public_set,
    find_timing_cycle,
    find_uneven_timing,
    forget_non_acting,
    format_efg,
    load_efg,
    pad_timing,
    parse_efg,
    plain_labels,
    save_efg,
    terminal,
)
from infoset.efg.transformations import padded_histories
from infoset.policy import random_policy, transfer_policy
from infoset.tree import build_tree

__all__ = ["cells"]

# Adapters

FILES = Path(__file__).parents[2] / "tests" / "efg" / "files" / "games"

CHECKS = (
    find_action_mismatch,
    find_recall_violation,
    find_absent_mindedness,
    find_thick_infoset,
    find_thick_public_set,
    find_public_mismatch,
    find_hidden_reward,
    find_timing_cycle,
    find_uneven_timing,
)


def efg_numbers(form: Any) -> object:
    """Return the arrays of an extensive form."""
    return (
        form.parent,
        form.first_child,
        form.actor,
        form.move,
        form.chance,
        [float(probability) for probability in form.probabilities],
        form.outcome,
        [[float(paid) for paid in outcome.payoffs] for outcome in form.outcomes],
        form.infoset,
        form.public_set,
        form.terminals,
        form.chance_reach,
        form.payoff,
        form.utility,
        form.depth,
        form.position,
    )


@cache
def efg_of(name: str) -> Any:
    """Return the extensive form of a game or of a file."""
    path = FILES / f"{name}.efg"
    return load_efg(path) if path.exists() else build_extensive_form(tree_of(name))


def converted(name: str, change: Any) -> object:
    """Return the arrays of an extensive form after a change."""
    return efg_numbers(change(efg_of(name)))


def contracted(name: str) -> object:
    """Return the sequence form of an extensive form."""
    form = efg_of(name)
    return form_numbers(form.sequence_form), form.sequence


def round_trip(name: str) -> object:
    """Return the tree and the extensive form of a game converted from an extensive form."""
    tree = build_tree(as_game(efg_of(name)))
    return (
        tree_numbers(tree),
        form_numbers(tree.sequence_form),
        efg_numbers(build_extensive_form(tree)),
    )


def translated(name: str) -> object:
    """Return a policy of an extensive form transferred to the converted game."""
    form = efg_of(name)
    tree = build_tree(as_game(form))
    policy = random_policy(form.sequence_form, np.random.default_rng(17))
    return transfer_policy(policy, tree).probabilities


def knowledge(name: str) -> object:
    """Return common-knowledge sets and closures."""
    form = efg_of(name)
    common = common_knowledge_sets(form)
    closed = [closure(form, history, common) for history in range(0, form.num_histories, 7)]
    return common, closed


def timed(name: str) -> object:
    """Return the earliest exact timing and the indices of padded histories."""
    form = efg_of(name)
    return exact_timing(form), padded_histories(form)


def checked(name: str) -> object:
    """Return which checks find a violation."""
    found = []
    for check in CHECKS:
        try:
            found.append(check(efg_of(name)) is None)
        except infoset.InfosetError:
            found.append(None)
    return found


def written(name: str) -> object:
    """Return a form after a round trip through a file and through text."""
    game = efg_of(name)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.efg"
        save_efg(game, path)
        read = load_efg(path)
    again = parse_efg(format_efg(plain_labels(game)))
    return efg_numbers(read), efg_numbers(again)


def by_hand() -> object:
    """Return the arrays of an extensive form built from nodes."""
    guess = {"heads": terminal(1, -1), "tails": terminal(-1, 1)}
    other = {"heads": terminal(-2, 2), "tails": terminal(0.5, -0.5)}
    root = chance(
        {"heads": (0.25, decision(0, "seen", guess)), "tails": (0.75, decision(1, "not", other))}
    )
    return efg_numbers(extensive_form_from_nodes(root, players=2))


def augmented(form: Any) -> Any:
    """Return the augmented form, derived from the information sets of acting players."""
    return augment(forget_non_acting(form) if form.is_augmented else form)


# The table

GAMES = (
    "kuhn_poker",
    "kuhn_poker_3",
    "leduc_poker",
    "goofspiel_3",
    "liars_dice_3",
    "rock_paper_scissors",
    "bandit_tree",
)
RECALL = ("horse", "one_card_poker", "share_of_ten", "toll_road", "strange_labels")
OTHERS = ("absent_minded_driver", "forgotten_coin", "not_timeable")
TIMED = (*RECALL, "forgotten_coin")


def cells() -> Cells:
    """Yield the digests of the package."""
    for name in (*GAMES, *RECALL, *OTHERS):
        yield f"form/{name}", partial(converted, name, lambda form: form)
        yield f"knowledge/{name}", partial(knowledge, name)
        yield f"checks/{name}", partial(checked, name)
        yield f"written/{name}", partial(written, name)
    for name in (*GAMES, *RECALL):
        yield f"contracted/{name}", partial(contracted, name)
        if name != "horse":  # it cannot be augmented because it has no exact timing
            yield f"augmented/{name}", partial(converted, name, augmented)
    for name in GAMES:
        yield f"classical/{name}", partial(converted, name, forget_non_acting)
        yield f"round-trip/{name}", partial(round_trip, name)
        yield f"translated/{name}", partial(translated, name)
        yield f"of-rules/{name}", lambda name=name: efg_numbers(build_extensive_form(game_of(name)))
    for name in (*GAMES, *TIMED):
        yield f"timing/{name}", partial(timed, name)
        yield f"padded/{name}", partial(converted, name, pad_timing)
    yield "by-hand", by_hand
