"""What every searcher is: a policy that is worked out where it is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.beliefs.limits import MAX_WORLDS, NUM_SAMPLES
from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.game.infostate import infostate_generator
from infoset.search.budget import Overruns
from infoset.search.models import SearchModel
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_count, check_type

__all__ = ["Searcher"]


class Searcher(ABC):
    """A player that thinks when it is its turn, from what it knows and nothing else.

    A searcher is a policy: what it plays at an infostate is found by one search there, and kept.

    Parameters
    ----------
    model : SearchModel
        The game, as searches read it.
    belief : PublicPrivateBelief or float
        Which worlds are thought possible; a number is the weight of the public belief, 0 for what
        the player itself knows, 1 for what everybody knows.
    seed : int
        Of the policy; `search` takes a generator instead.

    Attributes
    ----------
    overruns : Overruns
        How many searches so far took longer than they were allowed.

    Raises
    ------
    ParameterError
        If one of them is not what it should be.
    """

    def __init__(
        self, model: SearchModel, *, belief: PublicPrivateBelief | float = 0.0, seed: int = 0
    ) -> None:
        check_type("model", model, SearchModel, 'a model, such as search_model("leduc_poker")')
        check_count("seed", seed)
        self.model = model
        self.belief = (
            belief if isinstance(belief, PublicPrivateBelief) else PublicPrivateBelief(belief)
        )
        self.seed = seed
        self.overruns = Overruns()
        self._found: dict[Infostate, FloatArray] = {}

    def __repr__(self) -> str:
        """Return what it is, and what its answers go by."""
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings().items())
        return f"{type(self).__name__}({self.model.game}, {settings})"

    def settings(self) -> dict[str, Any]:
        """Return what its answers go by besides the game, by name; policies by their classes."""
        policies = self.belief.policies
        several = policies if isinstance(policies, Sequence) else (policies,)
        assumed = [type(policy).__name__ for policy in several if policy is not None]
        told: dict[str, Any] = {"policies": assumed} if assumed else {}
        for name, usual in (("max_worlds", MAX_WORLDS), ("num_samples", NUM_SAMPLES)):
            if getattr(self.belief, name) != usual:
                told[name] = getattr(self.belief, name)
        return {"public_weight": self.belief.public_weight, **told, "seed": self.seed}

    @abstractmethod
    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate, in order.

        Parameters
        ----------
        infostate : Infostate
            What the player knows: all that the answer depends on, but for the generator.
        rng : numpy.random.Generator

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there.
        """

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, number: int
    ) -> FloatArray:
        """Return [R, A] the answers of as many searches, the same as `search` gives one by one.

        Parameters
        ----------
        infostate : Infostate
        rng : numpy.random.Generator
        number : int
            R, at least 1.

        Raises
        ------
        UnknownNameError, ParameterError
            As `search`, or if the number is none.
        """
        check_count("number", number, minimum=1)
        return np.stack([self.search(infostate, rng) for _ in range(number)])

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the probability of each legal action, in order: the answer of one search.

        The generator is made of the seed and the infostate, so that the answer does not depend on
        what was asked before.

        Raises
        ------
        UnknownNameError
            As `search`.
        ParameterError
            As `search`, or if other actions are legal there.
        """
        if infostate not in self._found:
            self._check_actions(infostate, legal_actions)
            self._found[infostate] = self.search(
                infostate, infostate_generator(self.seed, infostate)
            )
        return self._found[infostate].copy()

    def _check_actions(self, infostate: Infostate, legal_actions: Sequence[Action]) -> None:
        known = self.model.legal_actions(infostate)
        if tuple(legal_actions) != known:
            raise ParameterError(
                f"at the infostate {infostate} of player {infostate.player} the legal actions are "
                f"{list(known)}, not {list(legal_actions)}: is it an infostate of "
                f"{self.model.game}?"
            )
