"""The study of public and private beliefs: the paper's tables and figures, and what follows."""

from infoset.experiments.studies import Study
from infoset_studies.beliefs.chosen_weights import CHOSEN
from infoset_studies.beliefs.distances import DISTANCES
from infoset_studies.beliefs.heat_maps import HEAT_MAPS
from infoset_studies.beliefs.inferring import INFERRING
from infoset_studies.beliefs.leaks import LEAKS
from infoset_studies.beliefs.readings import READINGS
from infoset_studies.beliefs.responses import FIRST_SEAT, SECOND_SEAT
from infoset_studies.beliefs.trade_offs import TRADE_OFFS
from infoset_studies.beliefs.tree_settings import TREE_SETTINGS
from infoset_studies.beliefs.win_rates import FIRST_SEAT_WINS, SECOND_SEAT_WINS

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
