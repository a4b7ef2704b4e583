"""The study of safe re-solving during play: SePoT's choices, and their effect on NashConv."""

from infoset.experiments.studies import Study
from infoset_studies.sepot.ablations import (
    CRITIC,
    ITERATIONS,
    NOISE,
    RANDOM_ORDER,
    TRANSFORMATION_ABLATION,
)
from infoset_studies.sepot.curves import CURVES
from infoset_studies.sepot.head_to_head import HEAD_TO_HEAD, TABLE_1, TABLE_1_LARGE
from infoset_studies.sepot.leaf_rules import LEAF_RULE
from infoset_studies.sepot.opponent_values import GOOFSPIEL, LEDUC_GADGETS, SAFEST
from infoset_studies.sepot.position import POSITION

__all__ = ["SEPOT"]

SEPOT = Study(
    "sepot",
    "Safe re-solving during play",
    (
        LEDUC_GADGETS,
        GOOFSPIEL,
        SAFEST,
        CRITIC,
        NOISE,
        ITERATIONS,
        TRANSFORMATION_ABLATION,
        LEAF_RULE,
        RANDOM_ORDER,
        CURVES,
        HEAD_TO_HEAD,
        TABLE_1,
        TABLE_1_LARGE,
        POSITION,
    ),
)
