"""Eight numbers at a time: vectors of a fixed length inside kernels.

Compilers make vector instructions of long loops. Where loops are short (a few actions, the few
infostates of a public state) or accumulate, the kernels say themselves what is done to eight
numbers side by side. On processors whose vectors are shorter, a `Lanes` takes several of them; the
results are the same to the bit, lane by lane those of plain IEEE arithmetic.

Only kernels can call these functions. Numbers that stand beside lanes in `+`, `-`, `*`, `/` and
`maximum` are taken for every lane. Indices are not checked.
"""

from infoset.lanes.arithmetic import maximum, square_root, where_positive
from infoset.lanes.emitter import LANES, Lanes
from infoset.lanes.memory import add_at, filled, load, store, take

__all__ = [
    "LANES",
    "Lanes",
    "add_at",
    "filled",
    "load",
    "maximum",
    "square_root",
    "store",
    "take",
    "where_positive",
]
