"""The study of mixtures of public and private beliefs: the paper's tables, and extensions."""

from infoset.experiments.studies import Study
from infoset_studies.beliefs.best_responses import (
    DISTANCES,
    FIRST_POSITION,
    SECOND_POSITION,
    TREE_SETTINGS,
)
from infoset_studies.beliefs.chosen_weights import CHOSEN
from infoset_studies.beliefs.final_policy_wins import FINAL_POLICY_WINS
from infoset_studies.beliefs.leakage import LEAKAGE
from infoset_studies.beliefs.opponent_weights import OPPONENT_WEIGHTS
from infoset_studies.beliefs.pimc_all_worlds import INFERRING
from infoset_studies.beliefs.simulations import SIMULATION_NUMBERS
from infoset_studies.beliefs.two_weights import HEAT_MAPS, TRADE_OFFS
from infoset_studies.beliefs.win_rates import FIRST_POSITION_WINS, OPEN_RULES, SECOND_POSITION_WINS

__all__ = ["BELIEFS"]

BELIEFS = Study(
    "beliefs",
    "Mixtures of public and private beliefs",
    (
        FIRST_POSITION,
        FIRST_POSITION_WINS,
        SECOND_POSITION,
        SECOND_POSITION_WINS,
        LEAKAGE,
        HEAT_MAPS,
        TRADE_OFFS,
        OPPONENT_WEIGHTS,
        INFERRING,
        CHOSEN,
        DISTANCES,
        TREE_SETTINGS,
        SIMULATION_NUMBERS,
        FINAL_POLICY_WINS,
        OPEN_RULES,
    ),
    aliases={
        "1": "best-responses-first",
        "2": "win-rates-first",
        "3": "best-responses-second",
        "4": "win-rates-second",
        "tssr": "leakage",
        "heatmap": "two-weights",
        "pareto": "leakage-trade-off",
        "posterior": "inference",
        "chosen": "chosen-weights",
        "distance": "exploitability",
        "settings": "tree-search-settings",
        "readings": "open-rules",
    },
)
