"""Terms that a page explains where it uses them; the texts are those of the documentation."""

from __future__ import annotations

from typing import Final

TERMS: Final = {
    "belief": "probabilities of what is hidden, given what is known",
    "counterfactual reach": "the product of the factors of all other players and chance",
    "equity": "probability to win plus half of that to tie, if all betting stopped",
    "exploitability": "NashConv / 2; two-player constant-sum games only",
    "history": "the course of the game so far: w₀ a₀ w₁ a₁ …",
    "infostate": "the actions and observations of a player, in order",
    "loss of a decision": "value of the best action minus value of the chosen action, if everybody "
    "follows a given policy afterwards",
    "NashConv": "sum of the gains",
    "own reach": "the factor of the reach due to the player's own actions",
    "policy": "action probabilities at every infostate",
    "public state": "public observations, in order",
    "range": "the own reach of each of a player's infostates at a public state",
    "reach": "probability of a history; a product of factors",
    "regret": "how much more an action would have earned, summed over iterations",
    "total variation distance": "half of the sum of the absolute differences of two distributions",
    "utility": "sum of the rewards at a terminal",
    "value": "expected utility",
}
