"""Teams, and players who forget: games in product form and information maps.

Arrays of this package: N nodes, which are prefixes of plays, and E edges, in L stages; P agents;
W outcomes of nature; Z endings that pay somebody; M labels of an information map.
"""

from infoset.teams.information import (
    RELAXATIONS,
    InformationMap,
    RecallViolation,
    Relaxation,
    find_relaxation,
    forget_own_actions,
    perfect_recall_closure,
    reveal_everything,
    reveal_private,
)
from infoset.teams.policies import (
    expected_payoffs,
    from_tabular,
    random_probabilities,
    to_tabular,
)
from infoset.teams.product_form import (
    Prefix,
    ProductArrays,
    ProductForm,
    Source,
    drop_decided,
    merge_outcomes,
    product_form,
)
from infoset.teams.team import PayoffRule, Team, check_team, check_teams, team_payoff
from infoset.teams.writing import make_product_form

__all__ = [
    "RELAXATIONS",
    "InformationMap",
    "PayoffRule",
    "Prefix",
    "ProductArrays",
    "ProductForm",
    "RecallViolation",
    "Relaxation",
    "Source",
    "Team",
    "check_team",
    "check_teams",
    "drop_decided",
    "expected_payoffs",
    "find_relaxation",
    "forget_own_actions",
    "from_tabular",
    "make_product_form",
    "merge_outcomes",
    "perfect_recall_closure",
    "product_form",
    "random_probabilities",
    "reveal_everything",
    "reveal_private",
    "team_payoff",
    "to_tabular",
]
