"""Learners: every learner and preset in self-play, in external loops, and under measurement."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

import infoset
from digest_packages.common import (
    Cells,
    form_of,
    game_of,
    policy_numbers,
    random_policies,
    result_numbers,
    tree_of,
)
from infoset.learning import (
    LEARNERS,
    AdversarialPlay,
    Decision,
    RegretTracker,
    Simulator,
    Trajectory,
    get_learner,
    make_learner,
    make_own_tree,
    make_simulator,
    play_and_learn,
    switch_between,
    tree_size,
)
from infoset.learning.balance import (
    balanced_reach,
    balanced_transitions,
    layer_counts,
    layer_policies,
    subtree_policy,
    subtree_sizes,
)
from infoset.policy import tabulate

__all__ = ["cells", "uncovered"]

# Adapters

LEARNER_NAMES = {
    "auto": "auto",
    "ixomd": "ixomd",
    "balanced-omd": "balanced-omd",
    "balanced-ftrl": "balanced-ftrl",
    "adaptive-ftrl": "adaptive-ftrl",
    "tweaked-ftrl": "tweaked-ftrl",
    "perturbed-ftrl": "perturbed-ftrl",
    "balanced-cfr-hedge": "balanced-cfr-hedge",
    "balanced-cfr-rm": "balanced-cfr-rm",
    "balanced-cfr-rm+": "balanced-cfr-rm+",
    "balanced-cfr-baseline": "balanced-cfr-baseline",
    "local-omd": "local-omd",
    "local-omd-adaptive": "local-omd-adaptive",
    "local-omd-baseline": "local-omd-baseline",
    "local-omd-action-baseline": "local-omd-action-baseline",
    "os-mccfr": "os-mccfr",
    "os-mccfr-balanced": "os-mccfr-balanced",
    "vr-mccfr": "vr-mccfr",
    "vr-mccfr-balanced": "vr-mccfr-balanced",
    "es-mccfr": "es-mccfr",
    "cs-mccfr": "cs-mccfr",
    "as-mccfr": "as-mccfr",
    "balanced-efce-omd": "balanced-efce-omd",
}
"""Current names by ids."""

PRESETS = {
    "theory": "theory",
    "practical": "practical",
    "tuned": "tuned",
    "recommended": "recommended",
    "anytime": "anytime",
}
"""Current names of presets by ids."""

PRESETS_OF = {
    "ixomd": tuple(PRESETS),
    "balanced-omd": tuple(PRESETS),
    "balanced-ftrl": tuple(PRESETS),
    "adaptive-ftrl": tuple(PRESETS),
    "tweaked-ftrl": ("practical", "tuned", "recommended"),
    "balanced-cfr-hedge": ("theory", "tuned", "anytime"),
    "local-omd": ("theory", "tuned", "anytime"),
    "local-omd-adaptive": ("theory", "tuned"),
    "local-omd-baseline": ("tuned",),
    "local-omd-action-baseline": ("tuned",),
    "balanced-efce-omd": ("theory", "practical", "anytime"),
}
"""Presets of each learner, by ids; learners without presets are omitted."""

WITH_OWN_TREE = ("balanced-omd", "balanced-ftrl", "balanced-cfr-rm", "local-omd-adaptive")
WITHOUT_TREE = ("ixomd", "adaptive-ftrl", "tweaked-ftrl", "perturbed-ftrl", "os-mccfr", "vr-mccfr")
STEPS = {"ixomd": (0.05, 0.01), "tweaked-ftrl": (0.3, 0.015), "adaptive-ftrl": (5.0, 0.25)}
"""Learners for external loops, with step sizes for those that cannot derive them there."""


def uncovered() -> list[str]:
    """Return learners and presets without a digest."""
    covered = {
        (LEARNER_NAMES[name], PRESETS[preset])
        for name, presets in PRESETS_OF.items()
        for preset in presets
    }
    learners = set(LEARNERS) - {*LEARNER_NAMES.values()}
    presets = {(name, preset) for name, row in LEARNERS.items() for preset in row.presets}
    return [*learners, *(f"{name}, {preset}" for name, preset in presets - covered)]


@cache
def simulator_of(game: str) -> Simulator:
    """Return the simulator of a game."""
    return make_simulator(tree_of(game))


def learned(game: str, name: str, preset: str | None, episodes: int, **options: Any) -> object:
    """Return the results of two self-play runs."""
    found = infoset.learn(
        tree_of(game),
        LEARNER_NAMES[name],
        preset=None if preset is None else PRESETS[preset],
        episodes=episodes,
        seeds=(0, 7),
        **options,
    )
    return (
        [result_numbers(run) for run in found.runs],
        [joint_numbers(joint) for joint in found.joint_play],
        [trigger_numbers(triggers) for triggers in found.recommended_play],
        [correlated_numbers(policy) for policy in found.correlated_policies],
        found.last_nash_conv,
    )


def joint_numbers(joint: Any) -> object:
    """Return the CCE evaluation of joint play."""
    return joint.values, joint.gains, joint.cce_gap


def trigger_numbers(triggers: Any) -> object:
    """Return the EFCE evaluation of recommended play."""
    gains = [trigger and trigger.gain for trigger in triggers.deviations]
    return triggers.values, gains, triggers.efce_gap, triggers.total_gains


def correlated_numbers(policy: Any) -> object:
    """Return the policies of a correlated policy and their weights."""
    return [policy_numbers(part) for part in policy.policies], policy.weights


def learned_steps(game: str, name: str, steps: tuple[float, float]) -> object:
    """Return the result of a run with a given learning rate and exploration."""
    return result_numbers(
        infoset.learn(tree_of(game), LEARNER_NAMES[name], step_sizes=steps, episodes=1500).runs[0]
    )


def planned_steps(game: str, name: str, preset: str | None) -> object:
    """Return the step sizes of a learner on the trees of a game."""
    row = get_learner(LEARNER_NAMES[name], preset=preset and PRESETS[preset])
    steps = row.step_sizes
    sizes = [tree_size(simulator_of(game), player) for player in range(2)]
    planned = [steps(size, 10_000) if callable(steps) else steps for size in sizes]
    return [tuple(map(float, pair)) for pair in planned]


def online_learner(game: str, name: str, player: int) -> Any:
    """Return a learner for an external loop."""
    form = form_of(game)
    present = LEARNER_NAMES[name]
    learner = get_learner(present, step_sizes=STEPS[name]) if name in STEPS else present
    tree = form.infostate_trees[player] if name in WITH_OWN_TREE else None
    return make_learner(
        learner, player=player, utility_range=(-13, 13), horizon=600, tree=tree, seed=5
    )


def online(game: str, name: str) -> object:
    """Return the results of learners of all players in play by the rules."""
    players = [online_learner(game, name, player) for player in range(2)]
    utilities = play_and_learn(game_of(game), players, episodes=600, seed=3)
    return utilities, online_numbers(game, players)


def online_numbers(game: str, players: Any) -> object:
    """Return the average and current policies of learners."""
    form = form_of(game)
    return (
        policy_numbers(tabulate(form, [learner.average_policy for learner in players])),
        policy_numbers(tabulate(form, [learner.current_policy for learner in players])),
        [learner.num_infostates for learner in players],
    )


def online_against(game: str, name: str) -> object:
    """Return the result of a learner against a fixed policy."""
    learner = online_learner(game, name, 1)
    players = [random_policies(game, 1)[0], learner]
    utilities = play_and_learn(game_of(game), players, episodes=400, seed=3)
    policy = tabulate(form_of(game), [None, learner.average_policy])
    return utilities, policy_numbers(policy)


def own_tree() -> object:
    """Return the result of a learner on a tree given as a list of decisions."""
    raised = Decision("low, raised", ("call", "fold"), after=("low", "bet"))
    decisions = [Decision("high", ("bet", "pass")), Decision("low", ("bet", "pass")), raised]
    tree = make_own_tree(0, decisions)
    learner = make_learner(
        LEARNER_NAMES["balanced-omd"], player=0, utility_range=(-2, 2), horizon=200, tree=tree
    )
    rng, taken = np.random.default_rng(1), []
    for _ in range(200):
        card = ("high", "low")[int(rng.integers(2))]
        steps = [(card, learner.act(card))]
        if steps[0] == ("low", "bet"):
            steps.append(("low, raised", learner.act("low, raised")))
        learner.observe(Trajectory(steps, float(rng.integers(-2, 3))))
        taken.append(len(steps))
    policies = learner.current_policy, learner.average_policy
    return taken, [[*policy[card].values()] for policy in policies for card in ("high", "low")]


def bandit() -> object:
    """Return the play of a learner without game knowledge on a two-armed bandit."""
    learner = make_learner(
        get_learner(LEARNER_NAMES["ixomd"], step_sizes=(0.1, 0.01)),
        player=0,
        utility_range=(0, 1),
        horizon=300,
    )
    names = ("left", "right")
    pulled = []
    for _ in range(300):
        arm = learner.act("the arms", names)
        learner.observe(Trajectory([("the arms", arm)], 0.9 if arm == "right" else 0.2))
        pulled.append(names.index(arm))
    return pulled, [learner.current_policy["the arms"][arm] for arm in names]


def against_adversary(game: str, name: str, player: int) -> object:
    """Return the regret of a learner against policies that change."""
    play = AdversarialPlay(
        LEARNER_NAMES[name],
        simulator_of(game),
        switch_between(random_policies(game, 3)),
        player=player,
        horizon=400,
        seed=2,
    )
    found = []
    for _ in range(4):
        play.run(100)
        found.append(play.regret())
    return found, policy_numbers(play.current_policy())


def measured(game: str, name: str, *, triggers: bool) -> object:
    """Return the regrets and the joint play of a self-play run."""
    learners = get_learner(LEARNER_NAMES[name]).self_play(simulator_of(game), horizon=300, seed=4)
    play = RegretTracker(learners, every=3, keep=20, triggers=triggers)
    play.run(300)
    told = trigger_numbers(play.evaluate_efce()) if triggers else None
    return (
        joint_numbers(play.evaluate()),
        list(play.regrets),
        told,
        correlated_numbers(play.correlated_policy()),
    )


def simulated(game: str) -> object:
    """Return the arrays of a simulator and its balanced weights."""
    simulator = simulator_of(game)
    infostates, depth = simulator.infostates, simulator.depth
    rules = (
        layer_counts,
        layer_policies,
        balanced_reach,
        balanced_transitions,
        subtree_sizes,
        subtree_policy,
    )
    return (
        list(simulator.nodes),
        list(infostates),
        depth,
        simulator.utility,
        simulator.losses(),
        [rule(infostates, depth) for rule in rules],
        [tuple(tree_size(simulator, player)[:4]) for player in range(simulator.num_players)],
    )


# The table

EPISODES = 2000
TUNED_GAMES = ("kuhn_poker", "leduc_poker")
OTHER_GAMES = ("goofspiel_3", "kuhn_poker_3", "bandit_tree", "chicken")


def cells() -> Cells:
    """Yield the digests of the package."""
    for name in LEARNER_NAMES:
        for game in TUNED_GAMES:
            yield f"{name}/published/{game}", partial(learned, game, name, None, EPISODES)
            for preset in PRESETS_OF.get(name, ()):
                yield f"{name}/{preset}/{game}", partial(learned, game, name, preset, EPISODES)
        for game in OTHER_GAMES:
            yield f"{name}/published/{game}", partial(learned, game, name, None, EPISODES // 2)
        for preset in PRESETS_OF.get(name, ()):
            yield f"steps/{name}/{preset}", partial(planned_steps, "leduc_poker", name, preset)
    for name, steps in STEPS.items():
        yield f"{name}/given/leduc_poker", partial(learned_steps, "leduc_poker", name, steps)
    for name in WITHOUT_TREE + WITH_OWN_TREE:
        for game in ("kuhn_poker", "leduc_poker"):
            yield f"online/{name}/{game}", partial(online, game, name)
        yield f"online-against/{name}/kuhn_poker", partial(online_against, "kuhn_poker", name)
    yield "online/arms", bandit
    yield "online/own-tree", own_tree
    for name in ("ixomd", "balanced-omd", "balanced-ftrl", "adaptive-ftrl"):
        for game, player in (("kuhn_poker", 0), ("kuhn_poker_3", 1)):
            yield f"adversary/{name}/{game}", partial(against_adversary, game, name, player)
    for name in ("ixomd", "balanced-cfr-rm", "os-mccfr", "es-mccfr"):
        yield (
            f"measured/{name}/kuhn_poker_3",
            partial(measured, "kuhn_poker_3", name, triggers=False),
        )
    for name in ("balanced-efce-omd", "balanced-omd"):
        for game in ("kuhn_poker", "goofspiel_3"):
            yield f"triggers/{name}/{game}", partial(measured, game, name, triggers=True)
    for game in ("kuhn_poker", "leduc_poker", "goofspiel_3", "kuhn_poker_3", "bandit_tree"):
        yield f"simulator/{game}", partial(simulated, game)
