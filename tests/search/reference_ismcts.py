"""Reference implementation of information-set tree search, with dictionaries and histories.

Random numbers are drawn in the order of the kernels: for the root; at each node for an untried
action or for each tie; at each chance transition; and for each choice in random play.
"""

from math import inf, log, sqrt

from infoset.utils.splitmix import next_uniform


class Node:
    """The statistics of an infostate, by action."""

    def __init__(self, actions):
        self.visits = 0
        self.tried = dict.fromkeys(actions, 0)
        self.total = dict.fromkeys(actions, 0.0)


class ReferenceISMCTS:
    """One search, from histories and their probabilities.

    With `is_relative` the width is multiplied by the range of the player's utilities so far. A
    `leaf` function, which values histories at which one player has a choice, replaces the playouts.
    """

    def __init__(
        self,
        histories,
        probability,
        stream,
        width,
        num_rollouts=1,
        is_relative=False,
        depth=None,
        leaf=None,
    ):
        self.depth, self.leaf = depth, leaf
        self.is_relative, self.utilities = is_relative, []
        self.histories, self.probability = histories, probability
        self.stream, self.width, self.num_rollouts = stream, width, num_rollouts
        self.nodes = {}

    def width_of(self, player):
        """Return the factor of a player's bonus."""
        if not self.is_relative:
            return self.width
        own = [float(utility[player]) for utility in self.utilities]
        return self.width * (max(own) - min(own))

    def number(self, below):
        """Return a uniform integer below a bound."""
        return int(next_uniform(self.stream) * below)

    def pick(self, pairs):
        """Return the first value at which the cumulative probability exceeds a random number."""
        place, total = next_uniform(self.stream), 0.0
        for value, chance in pairs:
            total += float(chance)
            if place < total:
                return value
        return pairs[-1][0]

    def run(self, simulations):
        for _ in range(simulations):
            root = self.pick(list(zip(range(len(self.histories)), self.probability, strict=True)))
            self.simulate(self.histories[root])

    def simulate(self, history):
        path = []
        leaf, chosen = self.walk(history, {}, lambda *at: self.in_tree(path, *at))
        ends = []
        for _ in range(self.num_rollouts):
            ends.append(self.value(leaf, chosen))
        self.utilities += ends
        for infostate, action in path:
            node = self.nodes[infostate]
            node.visits += 1
            node.tried[action] += 1
            for end in ends:
                node.total[action] += float(end[infostate.player]) / self.num_rollouts

    def value(self, leaf, chosen):
        """Return the values of the position at which a simulation stops."""
        if self.leaf is None:
            end, _ = self.walk(leaf, chosen, lambda _history, _player, legal, _: self.any_of(legal))
            return end.rewards_so_far
        next_uniform(self.stream)  # the seed of moves that would be completed at random
        assert not chosen
        return leaf.rewards_so_far if leaf.is_terminal else self.leaf([leaf])[0]

    def walk(self, history, chosen, choose):
        """Continue until the end or a position without a choice; return it and the choices."""
        chosen, moves = dict(chosen), 0
        while not history.is_terminal:
            for player in sorted(history.actors):
                if player not in chosen:
                    action = choose(history, player, history.legal_actions(player), moves)
                    if action is None:
                        return history, chosen
                    chosen[player] = action
            joint = history.joint(chosen)
            moves += any(len(history.legal_actions(player)) > 1 for player in history.actors)
            outcomes = [pair for pair in history.game.transitions(history.world, joint) if pair[1]]
            world = outcomes[0][0] if len(outcomes) == 1 else self.pick(outcomes)
            history, chosen = history.extend(joint, world), {}
        return history, chosen

    def any_of(self, legal):
        return legal[self.number(len(legal)) if len(legal) > 1 else 0]

    def in_tree(self, path, history, player, legal, moves):
        if moves == self.depth and len(legal) > 1:
            return None
        infostate = history.infostates[player]
        if infostate not in self.nodes:
            self.nodes[infostate] = Node(legal)
            return None
        action = self.best(self.nodes[infostate], player)
        path.append((infostate, action))
        return action

    def best(self, node, player):
        untried = [action for action, count in node.tried.items() if count == 0]
        if untried:
            return untried[self.number(len(untried))]
        best, ties, highest = None, 0, -inf
        width = self.width_of(player)
        for action, count in node.tried.items():
            bound = node.total[action] / count + width * sqrt(log(node.visits) / count)
            if bound > highest:
                best, ties, highest = action, 1, bound
            elif bound == highest:
                ties += 1
                if next_uniform(self.stream) < 1 / ties:
                    best = action
        return best


def root_counts(reference, player, actions, factors=None):
    """Return visits and totals of actions at all infostates where the search began.

    factors : by which those of each infostate are multiplied.
    """
    own = {history.infostates[player] for history in reference.histories}
    nodes = [
        (reference.nodes[infostate], 1 if factors is None else factors.get(infostate, 0.0))
        for infostate in own
        if infostate in reference.nodes
    ]
    visits = [sum(by * node.tried.get(action, 0) for node, by in nodes) for action in actions]
    totals = [sum(by * node.total.get(action, 0.0) for node, by in nodes) for action in actions]
    return visits, totals


class SingleObserverISMCTS(ReferenceISMCTS):
    """SO-ISMCTS: one tree over the infostates of the searching player alone.

    The nodes at which other players act merge all that this player cannot tell apart, so that their
    actions may be legal in some of its worlds only. Bounds use the number of visits at which an
    action was legal.
    """

    def __init__(self, player, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.player = player

    def in_tree(self, path, history, player, legal, moves):
        node = self.nodes.setdefault((history.infostates[self.player], player), Node(()))
        is_new = not node.tried
        for action in legal:
            node.tried.setdefault(action, 0)
            node.total.setdefault(action, 0.0)
        if is_new:
            return None
        node.legal = getattr(node, "legal", dict.fromkeys(legal, 0))
        for action in legal:
            node.legal[action] = node.legal.get(action, 0) + 1
        untried = [action for action in legal if not node.tried[action]]
        action = untried[self.number(len(untried))] if untried else self.bounded(node, legal)
        node.tried[action] += 1
        path.append((node, player, action))
        return action

    def bounded(self, node, legal):
        def bound(action):
            count = node.tried[action]
            mean = node.total[action] / count
            return mean + self.width * sqrt(log(node.legal[action]) / count)

        return max(legal, key=bound)

    def simulate(self, history):
        path = []
        leaf, chosen = self.walk(history, {}, lambda *at: self.in_tree(path, *at))
        end = self.value(leaf, chosen)
        for node, player, action in path:
            node.total[action] += float(end[player])

    def root_policy(self, infostate):
        """Return the visits of the actions at the root, by action."""
        return self.nodes[infostate, self.player].tried
