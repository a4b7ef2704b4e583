"""The CFR family: one `RegretScheme` per member."""

from __future__ import annotations

from dataclasses import replace

from infoset.regret.scheme import LinearSchedule, RegretScheme
from infoset.utils.registry import Registry

_CFR = RegretScheme("cfr", "counterfactual regret minimization (Zinkevich et al. 2007)")
_CFR_PLUS = RegretScheme(
    "cfr+",
    "CFR+: regret matching+, linear averaging (Tammelin 2014)",
    regret_floor=0.0,
    average_exponent=1.0,
)
_DCFR = RegretScheme(
    "dcfr",
    "discounted CFR, exponents 1.5, 0 and 2 (Brown and Sandholm 2019)",
    positive_discount=1.5,
    negative_discount=0.0,
    average_exponent=2.0,
)
_PCFR_PLUS = RegretScheme(
    "pcfr+",
    "predictive CFR+, quadratic averaging (Farina, Kroer and Sandholm 2021)",
    regret_floor=0.0,
    prediction=1.0,
    average_exponent=2.0,
)
_PDCFR_PLUS = RegretScheme(
    "pdcfr+",
    "predictive discounted CFR+, exponents 2.3 and 5 (Xu et al. 2024)",
    positive_discount=2.3,
    regret_floor=0.0,
    prediction=1.0,
    average_exponent=5.0,
)
_HS = "with hyperparameter schedules (Zhang, McAleer and Sandholm 2026)"

_SCHEMES = (
    _CFR,
    replace(
        _CFR,
        name="cfr-simultaneous",
        description="CFR with simultaneous updates",
        alternating=False,
    ),
    _CFR_PLUS,
    replace(
        _CFR_PLUS,
        name="cfr+-simultaneous",
        description="CFR+ with simultaneous updates",
        alternating=False,
    ),
    replace(
        _CFR_PLUS,
        name="cfr+-quadratic",
        description="CFR+ with quadratic averaging",
        average_exponent=2.0,
    ),
    RegretScheme(
        "lcfr",
        "linear CFR: iteration t has weight t (Brown and Sandholm 2019)",
        regret_exponent=1.0,
        average_exponent=1.0,
    ),
    _DCFR,
    RegretScheme(
        "dcfr+",
        "discounted CFR+, exponents 1.5 and 4 (Xu et al. 2024)",
        positive_discount=1.5,
        discount_offset=1.5,
        regret_floor=0.0,
        average_exponent=4.0,
    ),
    _PCFR_PLUS,
    replace(
        _PCFR_PLUS,
        name="pcfr+-quintic",
        description="predictive CFR+ with averaging exponent 5 (Xu et al. 2024)",
        average_exponent=5.0,
    ),
    _PDCFR_PLUS,
    replace(
        _PCFR_PLUS,
        name="apcfr+",
        description="PCFR+ with adaptive prediction weights (Meng et al. 2026)",
        adaptive_limit=5.0,
    ),
    replace(
        _PCFR_PLUS,
        name="sapcfr+",
        description="PCFR+ with prediction weight 1/3 (Meng et al. 2026)",
        prediction=1 / 3,
    ),
    replace(
        _PCFR_PLUS,
        name="sapcfr+-quintic",
        description="SAPCFR+ with averaging exponent 5",
        prediction=1 / 3,
        average_exponent=5.0,
    ),
    replace(
        _PDCFR_PLUS,
        name="sapdcfr+",
        description="PDCFR+ with prediction weight 1/3",
        prediction=1 / 3,
    ),
    replace(
        _DCFR,
        name="hs-dcfr",
        description=f"DCFR {_HS}",
        positive_discount=LinearSchedule(1.0, 4.0),
        negative_discount=LinearSchedule(-1.0, -3.0),
        average_exponent=LinearSchedule(30.0, 25.0),
    ),
    replace(
        _DCFR,
        name="hs-dcfr-15",
        description=f"DCFR {_HS}, averaging exponent from 15",
        positive_discount=LinearSchedule(1.0, 4.0),
        negative_discount=LinearSchedule(-1.0, -3.0),
        average_exponent=LinearSchedule(15.0, 10.0),
    ),
    replace(
        _PCFR_PLUS,
        name="hs-pcfr+",
        description=f"PCFR+ {_HS}",
        average_exponent=LinearSchedule(30.0, 25.0),
    ),
    replace(
        _PCFR_PLUS,
        name="hs-pcfr+-15",
        description=f"PCFR+ {_HS}, averaging exponent from 15",
        average_exponent=LinearSchedule(15.0, 10.0),
    ),
    replace(
        _PDCFR_PLUS,
        name="hs-pdcfr+",
        description=f"PDCFR+ {_HS}",
        average_exponent=LinearSchedule(30.0, 25.0),
    ),
)

SCHEMES: Registry[RegretScheme] = Registry(
    "scheme", _SCHEMES, entry_type=RegretScheme, expected='a name such as "cfr+", or a RegretScheme'
)
"""The members of the CFR family by name; `SCHEMES.register` adds a custom scheme."""
