"""Perfect-information Monte Carlo: play the action with the best mean perfect-information value.

The value of an action in a world is that of perfect play after it, when all players see everything
(see `determinization.py` for the sum over worlds).

Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in imperfect
information games", arXiv 2405.14346 (2024).
"""

from __future__ import annotations

from typing import Any

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError
from infoset.search.determinization import DeterminizedSearcher
from infoset.search.leaf_values import LeafValue, check_depth
from infoset.search.models import RootPositions, SearchModel
from infoset.search.perfect_information import MAX_N
from infoset.search.world_scores import RootActionValues, SampledActionValues, ScoreWorlds
from infoset.typing import LongArray, Player

__all__ = ["PIMC"]


class PIMC(DeterminizedSearcher):
    """Perfect-information Monte Carlo search.

    Worlds are drawn from the belief. The value of an action in a world is the utility that the
    player expects if all players see everything from then on. The searcher plays the action with
    the largest sum of values over the worlds; ties are split evenly.

    Parameters
    ----------
    model : SearchModel
        The game, such as `search_model(game)`.
    belief : PublicPrivateBelief or float
        Distribution of worlds; a number is the public weight λ.
    num_worlds : int or None
        Number of worlds drawn; None weights every world by its probability, which is the limit of
        infinitely many draws.
    milliseconds : float, optional
        Time limit of a search: worlds are drawn until `num_worlds` or the time is used up. The
        answer then depends on the machine. If the first world takes more than half of the time,
        each action is valued by samples of the leaf value right after it instead, and
        `last_search.is_fallback` is True. If there is no time for one of each, the policy of
        `leaf_value` answers, by default the uniform one.
    opponents : str
        What the other players maximize after all players see everything. `max_n`: their own
        utility, with the mean over equally good actions. `paranoid`: the loss of the searching
        player. In two-player constant-sum games both are minimax.
    depth : int or None
        Number of moves that the search looks ahead, including the one at the root; None searches to
        the end of the game. Forced actions and chance moves do not count.
    leaf_value : Rollouts, Policy or LeafFunction, optional
        With `depth`, the value of a position at which the search stops; by default the utility of
        one uniformly random play. See `Rollouts` and `LeafFunction`. Except for random play, the
        search then calls the rules of the game.
    seed : int
        Seed of the policy; `search` takes a generator instead.

    Attributes
    ----------
    last_search : WorldSearchRecord or None
        Result and cost of the last search.

    Raises
    ------
    ParameterError
        If a number is out of range, or `leaf_value` is given without `depth`.
    UnknownNameError
        If `opponents` is unknown.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024). The paper does not say how it aggregates
    worlds, breaks ties, or values chance moves. Sums of values, even splits, and expectations
    reproduce its tables.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> from infoset.search import search_model
    >>> kuhn = search_model(load_game("kuhn_poker"))
    >>> king = Infostate(0, (Step(None, "K", None),))
    >>> PIMC(kuhn, num_worlds=None).search(king, np.random.default_rng(0)).tolist()
    [0.5, 0.5]
    """

    def __init__(
        self,
        model: SearchModel,
        *,
        belief: PublicPrivateBelief | float = 0.0,
        num_worlds: int | None = 1000,
        milliseconds: float | None = None,
        opponents: str = MAX_N,
        depth: int | None = None,
        leaf_value: LeafValue | None = None,
        seed: int = 0,
    ) -> None:
        check_depth(depth)
        if depth is None and leaf_value is not None:
            raise ParameterError(
                "leaf_value is given without depth, and a search to the end of the game has no "
                "leaves to value; give depth=1 or more, or remove leaf_value"
            )
        super().__init__(
            model,
            belief=belief,
            num_worlds=num_worlds,
            milliseconds=milliseconds,
            opponents=opponents,
            leaf_value=leaf_value,
            moves=None if depth is None else depth - 1,
            seed=seed,
        )
        self.depth = depth

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the answers, by name."""
        return {**super().settings(), "depth": self.depth}

    def _world_scores(
        self, roots: RootPositions, indices: LongArray, player: Player
    ) -> ScoreWorlds:
        kind = SampledActionValues if self._perfect.is_random else RootActionValues
        return kind(self._perfect, roots, indices, player).scores
