"""Private beliefs, public beliefs and mixtures: posterior distributions over histories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral, Real
from typing import TypeAlias

import numpy as np

from infoset.beliefs.assumed_policies import (
    MODEL_NOISE,
    AssumedPolicies,
    AssumedReach,
    ModelNoise,
    policy_of_each,
    unreached_error,
)
from infoset.beliefs.belief import EXACT_METHODS, Belief, Histories
from infoset.beliefs.history_filter import Information
from infoset.beliefs.history_sources import (
    MAX_WORLDS,
    NUM_SAMPLES,
    HistorySource,
    RulesSource,
    SamplingLimits,
    TreeSource,
)
from infoset.errors import ParameterError, show
from infoset.game import Game, History, Infostate, PublicState
from infoset.game.broken_rules import check_num_players
from infoset.tree import GameTree
from infoset.typing import NOOP, FloatArray
from infoset.utils.arguments import check_player, check_type

PublicWeight: TypeAlias = float | Sequence[float] | Mapping[PublicState, float]
"""The weight of the public belief: a number, one per number of own moves, or one per public
state."""


@dataclass(frozen=True)
class Posteriors:
    """Beliefs over the histories of a game or tree, under assumed policies."""

    game: Game | GameTree
    source: HistorySource
    reach: AssumedReach
    noise: ModelNoise

    @classmethod
    def of(
        cls,
        game: Game | GameTree,
        policies: AssumedPolicies,
        noise: ModelNoise,
        limits: SamplingLimits,
    ) -> Posteriors:
        """Return the beliefs over the histories of a game or tree."""
        give = 'a game, such as infoset.load("kuhn_poker"), or what build_tree makes of one'
        check_type("source", game, (Game, GameTree), give)
        if isinstance(game, Game):
            check_num_players(game)
        each = policy_of_each(policies, game.num_players)
        if all(policy is None for policy in each):
            noise = ModelNoise(0.0)
        reach = AssumedReach(each)
        if isinstance(game, GameTree):
            return cls(game, TreeSource(game), reach, noise)
        return cls(game, RulesSource(game, limits, reach), reach, noise)

    def check_infostate(self, infostate: object) -> None:
        """Raise an error if a value is not an infostate of a player of the game."""
        check_type("infostate", infostate, Infostate, "an Infostate, such as history.infostates[0]")
        assert isinstance(infostate, Infostate)
        check_player(infostate.player, self.game.num_players, self.game)

    def given(self, information: Information | int) -> Belief:
        """Return the belief given the information of a player, or of the public."""
        return self._belief(*self._weighted(information))

    def at(self, infostate: Infostate, public_weight: float) -> Belief:
        """Return the mixture `(1 - public_weight) * private + public_weight * public`."""
        if not public_weight:
            return self.given(infostate)
        histories, public, noise = self._weighted(self.source.public_state(infostate))
        here, positions = histories.within(infostate)
        # A sample of the public state has few histories of the infostate, or none.
        is_whole = histories.method in EXACT_METHODS and len(positions) > 0
        if not is_whole:
            of_public = self._belief(histories, public, noise)
            return self._merged(self.given(infostate), of_public, public_weight)
        if public_weight == 1:
            return self._belief(histories, public, noise)
        # The same histories have the private belief, so that both are vectors over them.
        own, own_noise = self.noise.attempt(partial(self._probability, here, infostate))
        private = np.zeros(len(histories))
        private[positions] = own
        mixed = (1 - public_weight) * private + public_weight * public
        return self._belief(histories, mixed, max(noise, own_noise))

    def _weighted(self, information: Information | int) -> tuple[Histories, FloatArray, float]:
        """Return histories, their probabilities [K], and the noise in the policies."""

        def weigh(noise: float) -> tuple[Histories, FloatArray]:
            # Samples depend on the noise, too: they would lack what the policies exclude.
            histories = self.source.histories(information, noise)
            return histories, self._probability(histories, information, noise)

        (histories, probability), noise = self.noise.attempt(weigh)
        return histories, probability, noise

    def _probability(
        self, histories: Histories, information: Information | int, noise: float
    ) -> FloatArray:
        """Return [K] the probability of each history, given that one of them happened."""
        # A player's own policy is left out: P(h | s_i) = P_-i(h) / P_-i(s_i).
        player = information.player if isinstance(information, Infostate) else None
        reach = self.reach.of(histories, player, noise)
        total = float(reach.sum())
        if not total > 0:
            raise unreached_error(self.game, player)
        return reach / total

    def _belief(self, histories: Histories, probability: FloatArray, noise: float) -> Belief:
        kept = probability > 0
        if not kept.all():
            histories = histories.select(np.flatnonzero(kept))
        return Belief(histories.listed, probability[kept], self.game, histories.method, noise)

    def _merged(self, private: Belief, public: Belief, public_weight: float) -> Belief:
        """Return the mixture of two beliefs over different samples, merging equal histories."""
        total: dict[History, float] = {}
        for belief, part in ((private, 1 - public_weight), (public, public_weight)):
            for history, probability in zip(belief.histories, belief.probability, strict=True):
                total[history] = total.get(history, 0.0) + part * float(probability)
        kept = {history: probability for history, probability in total.items() if probability}
        method = private.method if private.method == "rejection" else public.method
        noise = max(private.model_noise, public.model_noise)
        return Belief(tuple(kept), np.array([*kept.values()]), self.game, method, noise)


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
    policies : Policy, callable or Sequence, optional
        One policy for all players, or one for each; None infers nothing from actions. A searcher is
        a policy; a function of an infostate and its legal actions that returns their probabilities
        can take the place of a policy.
    model_noise
        Weight of uniform play in the assumed policies where they err: if they give probability zero
        to what was observed, the policy of each player is replaced by
        `(1 - model_noise) * policy + model_noise * uniform`, and the attribute `model_noise` of the
        belief says so. With 0 this raises an error.
    always_noisy
        Whether the policies are always mixed with uniform play.
    rng
        Required only if there are more histories than `max_worlds`.
    max_worlds
        Maximum number of histories, or of outcomes of one chance event, that are enumerated. If
        there are more, they are sampled. Ignored for a tree.
    num_samples
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
    found = Posteriors.of(source, policies, noise, SamplingLimits(rng, max_worlds, num_samples))
    found.check_infostate(infostate)
    return found.given(infostate)


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
    public_state
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
    found = Posteriors.of(source, policies, noise, SamplingLimits(rng, max_worlds, num_samples))
    if isinstance(source, GameTree) and isinstance(public_state, Integral):
        return found.given(int(public_state))
    give = "a PublicState, such as history.public_state, or for a tree its index"
    check_type("public_state", public_state, PublicState, give)
    return found.given(public_state)


@dataclass(frozen=True)
class PublicPrivateBelief:
    """A mixture of the private and the public belief, as one distribution over histories.

    `B(h) = (1 - public_weight) * B_private(h) + public_weight * B_public(h)`.
    With weight 0 a player reasons from its private information. With weight 1 it reasons like an
    observer without private information, so that its actions leak nothing.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024). Policies and public weights by public
    state are additions.

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> dice = load_game("liars_dice(dice_sides=2)")
    >>> one = Infostate(0, (Step(None, (1,), None),))
    >>> belief = PublicPrivateBelief(0.5).at(dice, one)
    >>> dict(
    ...     zip(
    ...         ["/".join(map(str, w.hands)) for w in belief.worlds],
    ...         belief.probability.tolist(),
    ...     )
    ... )
    {'(1,)/(1,)': 0.375, '(1,)/(2,)': 0.375, '(2,)/(1,)': 0.125, '(2,)/(2,)': 0.125}
    """

    public_weight: PublicWeight
    """Weight λ of the public belief, from 0 to 1. A sequence gives one weight per number of own
    actions so far; its last entry applies from then on. A mapping gives one weight per public
    state."""
    policies: AssumedPolicies = field(default=None, kw_only=True)
    """Assumed policies, as in `private_belief`. By default nothing is inferred from actions, as in
    the paper."""
    default: float = field(default=0.0, kw_only=True)
    """Weight at public states that are missing from a mapping."""
    model_noise: float = field(default=MODEL_NOISE, kw_only=True)
    always_noisy: bool = field(default=False, kw_only=True)
    """Uniform play in the assumed policies, as in `private_belief`. It is decided separately for
    the private and the public belief."""
    max_worlds: int = field(default=MAX_WORLDS, kw_only=True)
    num_samples: int = field(default=NUM_SAMPLES, kw_only=True)
    """As in `private_belief`."""

    def __post_init__(self) -> None:
        SamplingLimits(None, self.max_worlds, self.num_samples)
        ModelNoise(self.model_noise, self.always_noisy)
        _check_public_weight("default", self.default)
        if isinstance(self.public_weight, Mapping):
            for public_state, public_weight in self.public_weight.items():
                if not isinstance(public_state, PublicState):
                    raise ParameterError(
                        f"public_weight has the key {public_state!r}; its keys must be public "
                        "states, such as history.public_state"
                    )
                _check_public_weight(f"public_weight at {public_state}", public_weight)
        elif isinstance(self.public_weight, (tuple, list)):
            object.__setattr__(self, "public_weight", tuple(self.public_weight))
            if not self.public_weight:
                raise ParameterError(
                    "public_weight=() is empty; give one weight for each move of the player, "
                    "or a number such as 0.0"
                )
            for number, public_weight in enumerate(self.public_weight):
                _check_public_weight(f"public_weight of own move {number}", public_weight)
        else:
            _check_public_weight("public_weight", self.public_weight)

    @property
    def max_public_weight(self) -> float:
        """The largest weight of the public belief at any infostate."""
        if isinstance(self.public_weight, Mapping):
            return float(max([self.default, *self.public_weight.values()]))
        if isinstance(self.public_weight, tuple):
            return float(max(self.public_weight))
        return float(self.public_weight)  # type: ignore[arg-type]

    def public_weight_at(self, infostate: Infostate) -> float:
        """Return the weight of the public belief at an infostate."""
        if isinstance(self.public_weight, Mapping):
            return float(self.public_weight.get(infostate.public_state, self.default))
        if isinstance(self.public_weight, tuple):
            num_moves = sum(step.action is not NOOP for step in infostate.steps)
            return float(self.public_weight[min(num_moves, len(self.public_weight) - 1)])
        return float(self.public_weight)  # type: ignore[arg-type]

    def at(
        self,
        source: Game | GameTree,
        infostate: Infostate,
        *,
        rng: np.random.Generator | None = None,
    ) -> Belief:
        """Return the mixture at an infostate; histories in both beliefs are merged.

        Parameters
        ----------
        rng
            Required only if there are more histories than `max_worlds`.

        Raises
        ------
        ParameterError, UnknownNameError, UnsupportedGameError
            As in `private_belief`.
        """
        noise = ModelNoise(self.model_noise, self.always_noisy)
        limits = SamplingLimits(rng, self.max_worlds, self.num_samples)
        found = Posteriors.of(source, self.policies, noise, limits)
        found.check_infostate(infostate)
        return found.at(infostate, self.public_weight_at(infostate))


def _check_public_weight(name: str, public_weight: object) -> None:
    is_number = isinstance(public_weight, Real) and not isinstance(public_weight, bool)
    if not (is_number and 0 <= public_weight <= 1):  # type: ignore[operator]
        raise ParameterError(
            f"{name} is {show(public_weight)}; it must be a number from 0 (private belief) to 1 "
            f"(public belief)"
        )
