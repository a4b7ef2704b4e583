"""First-order methods over one treeplex prox: a family of rows, one kernel."""

from infoset.solvers.first_order.quantal import quantal_gap
from infoset.solvers.first_order.scheme import FIRST_ORDER, FirstOrderScheme, Prediction
from infoset.solvers.first_order.solver import FirstOrderSolver

__all__ = ["FIRST_ORDER", "FirstOrderScheme", "FirstOrderSolver", "Prediction", "quantal_gap"]
