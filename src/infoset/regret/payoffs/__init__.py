"""Payoffs as the kernels of regret minimisation read them, and the gradients they make."""

from infoset.regret.payoffs._kernels import fill_gradient, pair_gradient, terminal_gradient
from infoset.regret.payoffs.pairs import PairPayoffs, pair_payoffs, payoffs_by_seat

__all__ = [
    "PairPayoffs",
    "fill_gradient",
    "pair_gradient",
    "pair_payoffs",
    "payoffs_by_seat",
    "terminal_gradient",
]
