"""Policies: random ones, mixtures, distances, plans, and files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from digest_packages.common import (
    Cells,
    form_of,
    form_of_policy,
    policy_numbers,
    random_policies,
    tree_of,
)
from infoset.forms import behavior_to_plan
from infoset.policy import (
    TabularPolicy,
    decompose_plan,
    distance,
    load_policy,
    load_policy_csv,
    mix,
    save_policy,
    save_policy_csv,
    tabulate,
    uniform_policy,
)

__all__ = ["cells"]

# Adapters


def plans(game: str) -> object:
    """Return realization plans of random policies, and the policies recovered from them."""
    found = []
    for policy in random_policies(game, 3):
        made = policy.realization_plans()
        again = TabularPolicy.from_weights(form_of_policy(policy), made)
        found.append((made, policy_numbers(again)))
    return found


def kernel_plans(game: str) -> object:
    """Return realization plans of one policy, computed by the kernel."""
    policy = random_policies(game, 1)[0]
    return [
        behavior_to_plan(plex.parent_sequence, plex.first_sequence, plex.num_actions, values)
        for plex, values in zip(form_of(game).treeplexes, policy.probabilities, strict=True)
    ]


def mixtures(game: str) -> object:
    """Return mixtures of policies, and distances between them."""
    policies = random_policies(game, 3)
    uniform = uniform_policy(form_of(game))
    mixed = mix(policies, (1.0, 2.0, 0.5))
    gaps = [distance(one, other) for one in (*policies, mixed) for other in (*policies, uniform)]
    return policy_numbers(mixed), policy_numbers(uniform), gaps


def replaced(game: str) -> object:
    """Return a policy in which another policy replaces one player."""
    first, second = random_policies(game, 2)
    return policy_numbers(first.replace_player(1, second))


def decomposed(game: str) -> object:
    """Return the decomposition of realization plans into pure plans."""
    policy = random_policies(game, 1)[0]
    pairs = zip(form_of(game).treeplexes, policy.realization_plans(), strict=True)
    return [decompose_plan(plex, plan) for plex, plan in pairs]


def asked(game: str) -> object:
    """Return tabulated policies and answers at single infostates."""
    form = form_of(game)
    policy = random_policies(game, 1)[0]
    players = [policy, uniform_policy(), None][: form.num_players]
    values = [
        policy.action_probabilities(tree.infostate_at(number), tree.legal_actions(number))
        for tree in tree_of(game).infostate_trees
        for number in tree.acting.tolist()[::5]
    ]
    return policy_numbers(tabulate(form, players)), values


def listed(game: str) -> object:
    """Return the rows of a policy."""
    rows = random_policies(game, 1)[0].rows()
    return [(row.player, len(row.actions), row.probabilities) for row in rows]


def saved(game: str) -> object:
    """Return policies read back from files."""
    policy = random_policies(game, 1)[0]
    with TemporaryDirectory() as folder:
        paths = Path(folder) / "policy.parquet", Path(folder) / "policy.csv"
        save_policy(policy, paths[0])
        save_policy_csv(policy, paths[1])
        read = load_policy(paths[0], form_of(game)), load_policy_csv(paths[1], form_of(game))
    return [policy_numbers(found) for found in read]


def drawn(game: str) -> object:
    """Return random policies."""
    return [policy_numbers(policy) for policy in random_policies(game, 4)]


def degenerate(game: str) -> object:
    """Return a policy built from weights with zeros."""
    rng, form = np.random.default_rng(3), form_of(game)
    weights = [
        rng.random(plex.num_sequences) * (rng.random(plex.num_sequences) < 0.5)
        for plex in form.treeplexes
    ]
    return policy_numbers(TabularPolicy.from_weights(form, weights))


# The table

GAMES = ("kuhn_poker", "kuhn_poker_3", "leduc_poker", "goofspiel_3", "liars_dice_3", "shapley")

CELLS = {
    "random": drawn,
    "plans": plans,
    "kernel-plans": kernel_plans,
    "mixtures": mixtures,
    "replaced": replaced,
    "decomposed": decomposed,
    "asked": asked,
    "rows": listed,
    "files": saved,
    "degenerate": degenerate,
}


def cells() -> Cells:
    """Yield the digests of the package."""
    for name, cell in CELLS.items():
        for game in GAMES:
            yield f"{name}/{game}", partial(cell, game)
