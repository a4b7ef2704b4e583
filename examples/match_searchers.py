"""Play two searchers against each other in a game that is too large to solve.

python examples/match_searchers.py
"""

import infoset

game = infoset.load("liars_dice", numdice=4)
first = infoset.make_searcher("pimc(num_worlds=50)", game)
second = infoset.make_searcher("ismcts(num_simulations=300)", game)
result = infoset.play_matches(game, first, second, num_deals=20, seed=0)
print(result)
