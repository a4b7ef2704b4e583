"""Private and public beliefs: posterior distributions over histories given observations."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from infoset.beliefs.assumed_policies import (
    MODEL_NOISE,
    AssumedPolicies,
    ModelNoise,
    policy_of_each,
)
from infoset.beliefs.belief import Belief
from infoset.beliefs.game_beliefs import GameBeliefs
from infoset.beliefs.history_sampling import MAX_WORLDS, NUM_SAMPLES, SamplingLimits
from infoset.beliefs.tree_beliefs import TreeBeliefs
from infoset.game import Game, Infostate, PublicState
from infoset.game.broken_rules import check_num_players
from infoset.tree import GameTree
from infoset.utils.arguments import check_player, check_type

__all__ = ["beliefs_of", "check_infostate", "private_belief", "public_belief"]


def beliefs_of(
    source: Game | GameTree, policies: AssumedPolicies, noise: ModelNoise, limits: SamplingLimits
) -> TreeBeliefs | GameBeliefs:
    """Return the beliefs of a game or tree under assumed policies."""
    give = 'a game, such as infoset.load("kuhn_poker"), or what build_tree makes of one'
    check_type("source", source, (Game, GameTree), give)
    if isinstance(source, Game):
        check_num_players(source)
    each = policy_of_each(policies, source.num_players)
    if all(policy is None for policy in each):
        noise = ModelNoise(0.0)
    if isinstance(source, GameTree):
        return TreeBeliefs(source, each, noise)
    return GameBeliefs(source, each, limits, noise)


def check_infostate(source: Game | GameTree, infostate: object) -> None:
    """Raise an error if a value is not an infostate of a player of the game."""
    check_type("infostate", infostate, Infostate, "an Infostate, such as history.infostates[0]")
    assert isinstance(infostate, Infostate)
    check_player(infostate.player, source.num_players, str(source))


def private_belief(
    source: Game | GameTree,
    infostate: Infostate,
    *,
    policies: AssumedPolicies = None,
    model_noise: float = MODEL_NOISE,
    always_noisy: bool = False,
    rng: np.random.Generator | None = None,
    max_worlds: int = MAX_WORLDS,
    num_samples: int = NUM_SAMPLES,
) -> Belief:
    """Return a player's belief: a distribution over the histories of its infostate.

    By default each history is weighted by chance alone, as if actions revealed nothing (the prior).
    With assumed policies it is also weighted by the reach of the other players, which gives the
    posterior `P(h | s_i) = P_-i(h) / P_-i(s_i)`. The player's own policy has no effect.

    On a tree the histories are looked up. For a game they are filtered by the rules without
    building a tree: each step selects the transitions that agree with the player's action and
    observation. Intermediate results are cached up to a limit.

    Parameters
    ----------
    source : Game or GameTree
    infostate : Infostate
    policies : Policy, callable or Sequence, optional
        One policy for all players, or one for each; None infers nothing from actions. A searcher is
        a policy; a function of an infostate and its legal actions that returns their probabilities
        can take the place of a policy.
    model_noise : float
        Weight of uniform play in the assumed policies where they err: if they give probability zero
        to what was observed, the policy of each player is replaced by
        `(1 - model_noise) * policy + model_noise * uniform`, and the attribute `model_noise` of the
        belief says so. With 0 this raises an error.
    always_noisy : bool
        Whether the policies are always mixed with uniform play.
    rng : np.random.Generator, optional
        Required only if there are more histories than `max_worlds`.
    max_worlds : int
        Maximum number of histories, or of outcomes of one chance event, that are enumerated. If
        there are more, they are sampled. Ignored for a tree.
    num_samples : int
        Number of samples if there are more.

    Raises
    ------
    ParameterError
        If an argument has the wrong type, or a required generator is missing.
    UnknownNameError
        If no history agrees with the infostate. The message names the first impossible step and
        lists the possible ones.
    UnsupportedGameError
        If the infostate has probability zero under the assumed policies of the other players and
        `model_noise` is 0, or no sampled history agrees.

    Notes
    -----
    Source: Kovařík et al. (2022), section 4.2, and Arjonilla, Cazenave, Saffidine, "Mixture of
    public and private distributions in imperfect information games", arXiv 2405.14346 (2024). As
    `model_noise` tends to 0, the belief after an error of the assumed policies tends to that of a
    consistent assessment (Kreps and Wilson, "Sequential equilibria", 1982): the histories with the
    fewest unexpected actions remain.

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> dice = load_game("liars_dice(numdice=3)")
    >>> hand = Infostate(1, (Step(None, (1, 2, 3), None), Step(None, None, "4-5")))
    >>> len(private_belief(dice, hand))
    56
    """
    noise = ModelNoise(model_noise, always_noisy)
    found = beliefs_of(source, policies, noise, SamplingLimits(rng, max_worlds, num_samples))
    check_infostate(source, infostate)
    return found.private(infostate)


def public_belief(
    source: Game | GameTree,
    public_state: PublicState | int,
    *,
    policies: AssumedPolicies = None,
    model_noise: float = MODEL_NOISE,
    always_noisy: bool = False,
    rng: np.random.Generator | None = None,
    max_worlds: int = MAX_WORLDS,
    num_samples: int = NUM_SAMPLES,
) -> Belief:
    """Return the belief of an observer who sees only public observations.

    Parameters
    ----------
    source : Game or GameTree
    public_state : PublicState or int
        For a tree, the index of a public state is accepted.
    policies, model_noise, always_noisy, rng, max_worlds, num_samples
        As in `private_belief`, but the policies of all players have an effect.

    Raises
    ------
    ParameterError, UnknownNameError, UnsupportedGameError
        As in `private_belief`.

    Examples
    --------
    >>> from infoset.game import PublicState
    >>> from infoset.games import load_game
    >>> after_bet = public_belief(load_game("kuhn_poker"), PublicState((None, "bet")))
    >>> len(after_bet), sorted(map(str, after_bet.infostate_probabilities(0)))
    (6, ['[J] / bet', '[K] / bet', '[Q] / bet'])
    """
    noise = ModelNoise(model_noise, always_noisy)
    found = beliefs_of(source, policies, noise, SamplingLimits(rng, max_worlds, num_samples))
    if isinstance(found, TreeBeliefs) and isinstance(public_state, Integral):
        return found.public_at(int(public_state))
    give = "a PublicState, such as history.public_state, or for a tree its index"
    check_type("public_state", public_state, PublicState, give)
    assert isinstance(public_state, PublicState)
    return found.public(public_state)
