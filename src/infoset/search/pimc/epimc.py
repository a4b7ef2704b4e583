"""Perfect-information Monte Carlo that postpones perfect information."""

from __future__ import annotations

from typing import Any

from infoset.beliefs import PublicPrivateBelief
from infoset.search.models import RootPositions, SearchModel
from infoset.search.pimc.postponed import PostponedSearch
from infoset.search.pimc.thinking import Think
from infoset.search.pimc.values import MAX_N
from infoset.search.pimc.world_searcher import WorldSearcher
from infoset.typing import LongArray, Player
from infoset.utils.arguments import check_count

__all__ = ["EPIMC"]


class EPIMC(WorldSearcher):
    """PIMC whose own next decisions are taken without seeing everything.

    In the first `depth` own decisions from where the search begins, the player does the same in
    all worlds that look the same to it; the others do, seeing everything, what is best for them,
    all such actions alike. After that, everybody sees everything. It is the best reply over
    infostates to opponents as PIMC has them; with depth 1 it is PIMC.

    Parameters
    ----------
    model, belief, num_worlds, milliseconds, opponents, seed
        As in `PIMC`.
    depth : int
        How many own decisions are taken without seeing everything; those with a single action do
        not count.

    Attributes
    ----------
    last_search : WorldSearchRecord or None
        What the last search found, and what it took.

    Raises
    ------
    ParameterError
        If one of them is not what it should be.
    UnknownNameError
        If there are no such opponents.

    Notes
    -----
    After Arjonilla, Saffidine, Cazenave, "Perfect information Monte Carlo with postponing
    reasoning", arXiv 2408.02380 (2024). Differs from the paper: there the first decisions of
    all players are one game of imperfect information; here the others see everything at once.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> from infoset.search import search_model
    >>> kuhn = search_model(load_game("kuhn_poker"))
    >>> queen = Infostate(0, (Step(None, "Q", None),))
    >>> EPIMC(kuhn, num_worlds=None, depth=2).search(queen, np.random.default_rng(0)).tolist()
    [1.0, 0.0]
    """

    def __init__(
        self,
        model: SearchModel,
        *,
        depth: int = 2,
        belief: PublicPrivateBelief | float = 0.0,
        num_worlds: int | None = 1000,
        milliseconds: float | None = None,
        opponents: str = MAX_N,
        seed: int = 0,
    ) -> None:
        check_count("depth", depth, minimum=1)
        super().__init__(
            model,
            belief=belief,
            num_worlds=num_worlds,
            milliseconds=milliseconds,
            opponents=opponents,
            seed=seed,
        )
        self.depth = depth

    def settings(self) -> dict[str, Any]:
        """Return what its answers go by besides the game, by name."""
        return {**super().settings(), "depth": self.depth}

    def _thinking(self, roots: RootPositions, numbers: LongArray, player: Player) -> Think:
        return PostponedSearch(self._perfect, roots, numbers, player, self.depth).scores
