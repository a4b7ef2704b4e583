"""The study of public and private beliefs: the paper's tables and figures, and what follows."""

from infoset.experiments.beliefs.chosen_shares import CHOSEN
from infoset.experiments.beliefs.distances import DISTANCES
from infoset.experiments.beliefs.heat_maps import HEAT_MAPS
from infoset.experiments.beliefs.inferring import INFERRING
from infoset.experiments.beliefs.leaks import LEAKS
from infoset.experiments.beliefs.readings import READINGS
from infoset.experiments.beliefs.responses import FIRST_SEAT, SECOND_SEAT
from infoset.experiments.beliefs.trade_offs import TRADE_OFFS
from infoset.experiments.beliefs.tree_settings import TREE_SETTINGS
from infoset.experiments.beliefs.win_rates import FIRST_SEAT_WINS, SECOND_SEAT_WINS
from infoset.experiments.studies import Study

__all__ = ["BELIEFS"]

BELIEFS = Study(
    "beliefs",
    "Mixtures of public and private beliefs",
    (
        FIRST_SEAT,
        FIRST_SEAT_WINS,
        SECOND_SEAT,
        SECOND_SEAT_WINS,
        LEAKS,
        HEAT_MAPS,
        TRADE_OFFS,
        INFERRING,
        CHOSEN,
        DISTANCES,
        TREE_SETTINGS,
        READINGS,
    ),
)
