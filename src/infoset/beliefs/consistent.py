"""What a player, and what everybody, believes after what was seen."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from infoset.beliefs.assumed_policies import AssumedPolicies, policy_of_each
from infoset.beliefs.belief import Belief
from infoset.beliefs.limits import MAX_WORLDS, NUM_SAMPLES, Limits
from infoset.beliefs.rules_beliefs import RulesBeliefs
from infoset.beliefs.tree_beliefs import TreeBeliefs
from infoset.game import Game, Infostate, PublicState
from infoset.tree import GameTree
from infoset.utils.arguments import check_player, check_type

__all__ = ["beliefs_in", "check_infostate", "private_belief", "public_belief"]


def beliefs_in(
    source: Game | GameTree, policies: AssumedPolicies, limits: Limits
) -> TreeBeliefs | RulesBeliefs:
    """Return where to look up what is believed in a game, compiled or not."""
    give = 'a game, such as infoset.load("kuhn_poker"), or what build_tree makes of one'
    check_type("source", source, (Game, GameTree), give)
    each = policy_of_each(policies, source.num_players)
    if isinstance(source, GameTree):
        return TreeBeliefs(source, each)
    return RulesBeliefs(source, each, limits)


def check_infostate(source: Game | GameTree, infostate: object) -> None:
    """Raise unless an infostate of a player of the game is given."""
    check_type("infostate", infostate, Infostate, "an Infostate, such as history.infostates[0]")
    assert isinstance(infostate, Infostate)
    check_player(infostate.player, source.num_players, str(source))


def private_belief(
    source: Game | GameTree,
    infostate: Infostate,
    *,
    policies: AssumedPolicies = None,
    rng: np.random.Generator | None = None,
    max_worlds: int = MAX_WORLDS,
    num_samples: int = NUM_SAMPLES,
) -> Belief:
    """Return what a player believes: the histories that agree with all it knows.

    By default each has nature's probability, as if moves told nothing of what players hold
    (the prior). With policies it is also that by which the others play (the posterior,
    `P(h | s_i) = P_-i(h) / P_-i(s_i)`); the player's own policy does not matter.

    A tree is looked up. Rules are asked, and no tree is built: step by step, the transitions are
    kept that agree with what the player did and saw. The steps of one game are kept for the next
    call, as far as memory is meant for it.

    Parameters
    ----------
    source : Game or GameTree
    infostate : Infostate
    policies : Policy or Sequence[Policy or None], optional
        One for all players, or one for each: None counts every action 1.
    rng : np.random.Generator, optional
        Needed only where there are more histories than are listed.
    max_worlds : int
        How many histories, or outcomes of a lottery, are listed; where there are more, some are
        drawn. For rules only.
    num_samples : int
        How many are drawn then.

    Raises
    ------
    ParameterError
        If something is of the wrong type, or a generator is needed and none is given.
    UnknownNameError
        If no history agrees with the infostate: the first step at which nothing is left, and
        what could be seen there.
    UnsupportedGameError
        If the policies of the others never lead there, or nothing that was drawn agrees.

    Notes
    -----
    Source: Kovařík et al. (2022), section 4.2, and Arjonilla, Cazenave, Saffidine, "Mixture of
    public and private distributions in imperfect information games", arXiv 2405.14346 (2024).

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> dice = load_game("liars_dice(numdice=5)")
    >>> hand = Infostate(1, (Step(None, (1, 2, 3, 4, 5), None), Step(None, None, "4-5")))
    >>> len(private_belief(dice, hand))
    252
    """
    found = beliefs_in(source, policies, Limits(rng, max_worlds, num_samples))
    check_infostate(source, infostate)
    return found.private(infostate)


def public_belief(
    source: Game | GameTree,
    public_state: PublicState | int,
    *,
    policies: AssumedPolicies = None,
    rng: np.random.Generator | None = None,
    max_worlds: int = MAX_WORLDS,
    num_samples: int = NUM_SAMPLES,
) -> Belief:
    """Return what somebody believes who sees only what everybody sees.

    Parameters
    ----------
    source : Game or GameTree
    public_state : PublicState or int
        For a tree, its number will do.
    policies, rng, max_worlds, num_samples
        As in `private_belief`; the policies of all players count.

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
    found = beliefs_in(source, policies, Limits(rng, max_worlds, num_samples))
    if isinstance(found, TreeBeliefs) and isinstance(public_state, Integral):
        return found.public_at(int(public_state))
    give = "a PublicState, as history.public_state is; for a tree its number will do"
    check_type("public_state", public_state, PublicState, give)
    assert isinstance(public_state, PublicState)
    return found.public(public_state)
