"""Solve Leduc poker, measure the policy, and see what it does.

python examples/first_solve.py
"""

import infoset

result = infoset.solve("leduc_poker", "dcfr", target="0.01%")  # of the payoff range
print(result)
print(f"player 0 wins {result.values[0]:.4f} chips per game")
print(f"an opponent who knows the policy wins {result.exploitability:.4f} chips more, on average")

print("with the king of spades, player 0 plays", result.policy["[Ks]"])

# A policy is measured exactly, wherever it comes from.
uniform = infoset.evaluate("leduc_poker", "uniform")
print(f"uniform play loses {uniform.exploitability:.2f} chips to a best response")

best = infoset.best_response(result.policy, 1)
print(f"a best response of player 1 earns {best.value:.4f}")
