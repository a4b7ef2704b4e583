"""Payoffs as the kernels of regret minimization read them, and the gradients they make."""

from infoset.regret.payoffs._kernels import block_gradient, fill_gradient, terminal_gradient
from infoset.regret.payoffs.pairs import BlockPayoffs, block_payoffs, payoffs_by_player

__all__ = [
    "BlockPayoffs",
    "block_gradient",
    "block_payoffs",
    "fill_gradient",
    "payoffs_by_player",
    "terminal_gradient",
]
