"""Forms, their policies, and iterations on them.

The digests of forms and `form_iterates.py` call the library through this module and
`resolving_adapters`. After a change of names or classes in the library, only these two need to
change. Ids remain, and so does the order of numbers: plans and policies are those of the whole
game, or of a trunk, by player and by sequence of its treeplex.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import infoset
from digest_packages.common import tree_of
from infoset.evaluation import (
    PublicValues,
    evaluate_hands,
    evaluate_policy,
)
from infoset.evaluation.hand_equity import equity_at
from infoset.forms import PublicForm, with_ranges
from infoset.policy import (
    TabularPolicy,
    load_policy,
    save_policy,
    save_policy_csv,
    transfer_policy,
)
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.solvers import (
    average_policy,
    current_policy,
)
from infoset.tree import (
    GameTree,
    build_public_form,
    build_tree,
    derive_public_form,
)

FloatArray = Any
Form = Any
Policy = Any

RIVER = "pot=20,stack=60,ranges=['AA,KQs,TT,77:0.5','QQ,AKo:0.7,JTs']"
RULE_BUILT = {
    "leduc_poker_rules": ("leduc_poker", True),
    "river": (f"nolimit_endgame(board=Ks9s8s4s2s,{RIVER})", False),
    "river_merged": (f"nolimit_endgame(board=Ks9s8s4s2s,{RIVER})", True),
    "river_rake": (f"nolimit_endgame(board=Ks9d8h4s2c,rake=0.05,{RIVER})", False),
    "turn_merged": (
        "nolimit_endgame(board=Ks9s8s4s,pot=20,stack=20,bets=[1.0],max_raises=1,"
        "ranges=['AA,KQs','QQ,JTs'])",
        True,
    ),
}
"""Public forms that are built by rules: text of the game, and whether symmetric hands are merged;
by names in ids. Other public forms are derived from the trees of games in `common`."""

GENERAL_SUM = (
    "nolimit_endgame(board=Ks9d8h4s2c,pot=20,stack=40,rake=0.05,ranges=['AA,KQs','QQ,JTs'])"
)
"""A two-player game with rake as a tree; `general_sum` in ids."""


# Forms


@cache
def public_form(name: str) -> PublicForm:
    """Return a public form by its name in ids."""
    if name in RULE_BUILT:
        text, is_merged = RULE_BUILT[name]
        return build_public_form(infoset.load(text), merge_symmetric=is_merged)
    return derive_public_form(tree_of(name))


@cache
def game_tree(name: str) -> GameTree:
    """Return a tree by its name in ids."""
    return build_tree(infoset.load(GENERAL_SUM)) if name == "general_sum" else tree_of(name)


def sequence_form(name: str) -> Form:
    """Return a sequence form by its name in ids."""
    return tree_form(game_tree(name))


def tree_form(tree: GameTree) -> Form:
    """Return the sequence form of a tree."""
    return tree.sequence_form


def form_by_id(kind: str, name: str) -> Form:
    """Return a form: `public` or `sequence`, and its name."""
    return public_form(name) if kind == "public" else sequence_form(name)


def is_public(form: Form) -> bool:
    """Return whether a form has public nodes and hands."""
    return isinstance(form, PublicForm)


def tree_without_ties(tree: GameTree, seed: int, noise: float = 0.0) -> GameTree:
    """Return a tree with random payoffs; `noise` is a relative error, to see its effects.

    A constant sum of two players is kept.
    """
    rng, ends = np.random.default_rng(seed), tree.terminals
    rewards = tree.rewards_so_far.copy()
    width = float(np.ptp(rewards[ends]))
    rewards[ends] += 0.1 * width * rng.uniform(-1, 1, rewards[ends].shape)
    rewards[ends] *= 1 + noise * rng.uniform(-1, 1, rewards[ends].shape)
    total = tree_form(tree).constant_sum
    if tree.num_players == 2 and total is not None:
        rewards[ends, 1] = total - rewards[ends, 0]
    return replace(tree, rewards_so_far=rewards)


def public_without_ties(form: PublicForm, seed: int, noise: float = 0.0) -> PublicForm:
    """Return a public form with random payoffs and a random prior, as `tree_without_ties`."""
    rng, ends = np.random.default_rng(seed), form.terminals
    first_payoff, payoff = ends.payoffs_of(ends.payoff_set)
    payoff += 0.1 * form.payoff_width * rng.uniform(-1, 1, payoff.shape)
    payoff *= 1 + noise * rng.uniform(-1, 1, payoff.shape)
    if form.constant_sum is not None:
        payoff[:, 1] = form.constant_sum - payoff[:, 0]
    limits = np.stack([payoff.min(axis=0), payoff.max(axis=0)], axis=1)
    terminals = replace(
        ends,
        payoff_set=np.arange(len(ends), dtype=np.int32),
        first_payoff=first_payoff,
        payoff=payoff,
    )
    changed = replace(form, terminals=terminals, utility_limits=limits, tree_infostates=None)
    return with_ranges(changed, random_ranges(changed, seed + 1))


def random_ranges(form: PublicForm, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return per player [hands] positive numbers, equal for hands that the form merges."""
    rng = np.random.default_rng(seed)
    first, second = (
        rng.uniform(0.3, 1, int(classes[0].max()) + 1)[classes[0]] for classes in form.hand_classes
    )
    return first, second


def payoff_width(form: Form) -> float:
    """Return the range of the payoffs."""
    return float(form.payoff_width)


# Policies


def policy_on(form: Form, weights: Sequence[FloatArray]) -> Policy:
    """Return the policy with given weights of sequences, per player [Q]."""
    return TabularPolicy.from_weights(form, tuple(weights))


def uniform(form: Form) -> Policy:
    """Return the uniform policy."""
    return policy_on(form, [np.ones(plex.num_sequences) for plex in form.treeplexes])


def random_policy_on(form: Form, seed: int) -> Policy:
    """Return a random policy."""
    rng = np.random.default_rng(seed)
    return policy_on(form, [rng.uniform(0.05, 1, p.num_sequences) for p in form.treeplexes])


def as_public(form: PublicForm, policy: Policy) -> Policy:
    """Return a policy on a sequence form as one on the public form of the same game."""
    return transfer_policy(policy, form)


def as_tabular(form: Form, policy: Policy) -> Policy:
    """Return a policy on a public form as one on the sequence form of the same game."""
    return transfer_policy(policy, form)


def chances_at(policy: Policy, hand: Any, line: str) -> list[float]:
    """Return the probabilities of a hand at a line of a public form."""
    return list(policy[hand, line].values())


def plans_of(policy: Policy) -> tuple[FloatArray, ...]:
    """Return the realization plans of a policy."""
    return tuple(policy.realization_plans())


def saved_numbers(policy: Policy, path: Path, storage: str) -> list[FloatArray]:
    """Save a policy, and return the columns of numbers in the file."""
    save_policy(policy, path, storage=storage)
    table = pq.read_table(path)
    columns = [table.column(name) for name in table.column_names if "hand_" in name]
    columns = columns or [table.column("probability")]
    return [column.drop_null().to_numpy() for column in columns]


def loaded(path: Path, form: Form) -> Policy:
    """Return the policy in a file."""
    return load_policy(path, form)


def saved_csv(policy: Policy, path: Path) -> str:
    """Save a policy as comma-separated values, and return the text."""
    save_policy_csv(policy, path)
    return path.read_text(encoding="utf-8")


# Numbers of forms


def gradient(form: Form, policy: Policy, player: int) -> FloatArray:
    """Return [Q] the gradient of a player's utility."""
    return form.gradient(plans_of(policy), player)


def layouts(form: Form) -> tuple[Any, ...]:
    """Return the layouts of sequences, and the public states of infostates."""
    return form.layouts, form.public_states


def kernel_payoffs(form: Form, precision: str) -> Any:
    """Return what the kernels read: payoffs by player, or sequences and payoffs of all players."""
    payoffs = form.payoffs(precision).by_player
    if len(payoffs) != 2:
        return [], payoffs[0].sequence, payoffs[0].payoff
    return [tuple(own) for own in payoffs], np.zeros((0, 2), np.uint32), np.zeros((0, 2), precision)


def measure(policy: Policy) -> Any:
    """Return the evaluation of a policy."""
    return evaluate_policy(policy)


def hand_evaluations(policy: Policy) -> Any:
    """Return the evaluation of a policy by hand, of each player."""
    return evaluate_hands(policy)


def place_values(policy: Policy) -> PublicValues:
    """Return ranges and values of hands at public nodes."""
    return PublicValues(policy)


def equity(form: Form, node: int, ranges: tuple[FloatArray, FloatArray]) -> Any:
    """Return the equity of hands."""
    return equity_at(form, node, ranges)


# Iterations


@dataclass(frozen=True)
class Steps:
    """Iterations of a scheme: `run` does some, the others return policies and an evaluation."""

    run: Callable[[int], None]
    current: Callable[[], Policy]
    average: Callable[[], Policy]
    measure: Callable[[Policy], Any]


def minimizer_on(form: Form, scheme: str, precision: str, threads: int) -> Any:
    """Return the regret minimizer of a form."""
    return RegretMinimizer(form, SCHEMES[scheme], precision, threads)


def steps_on(form: Form, scheme: str) -> Steps:
    """Return the iterations of a scheme on a form."""
    own = RegretMinimizer(form, SCHEMES[scheme])
    return Steps(own.run, lambda: current_policy(own), lambda: average_policy(own), measure)


def solved(form: Form, method: str, **options: Any) -> Any:
    """Return the result of a method on a form."""
    return infoset.solve(form, method, **options)
