"""Graphs."""

from __future__ import annotations

from agentgym.envs.code._math.book import BOOK, Answer, Edges, Int

problem = BOOK.topic("graphs")


@problem(
    "Roads with their lengths in brackets: {edges}. How long is the shortest way from 1 to 9?",
    "An undirected graph has the edges {edges}, with weights in brackets. What is the distance between 1 and 9?",
    "Cables join offices: {edges}, with delays in brackets. What is the least delay from office 1 to office 9?",
    edges=Edges(9, 14, 60),
)
def _shortest_way(edges: list[list[int]]) -> Answer:
    far = {1: 0}
    for _ in range(9):
        for a, b, length in edges:
            for one, other in ((a, b), (b, a)):
                if one in far:
                    far[other] = min(far.get(other, far[one] + length), far[one] + length)
    return far[9]


@problem(
    "What does a minimum spanning tree of the graph {edges} weigh? Weights are in brackets.",
    "Villages can be joined by lines at the costs in brackets: {edges}. What is the least total cost to connect all?",
    "Choose edges of {edges} of least total weight (in brackets) so that all stays connected. What is the total?",
    edges=Edges(9, 16, 40),
)
def _spanning_weight(edges: list[list[int]]) -> Answer:
    group = {node: node for a, b, _ in edges for node in (a, b)}
    total = 0
    for a, b, weight in sorted(edges, key=lambda edge: edge[2]):
        if group[a] != group[b]:
            total += weight
            old, new = group[a], group[b]
            group = {node: new if held == old else held for node, held in group.items()}
    return total


@problem(
    "How many spanning trees does the graph with the edges {edges} have?",
    "In how many ways can edges of {edges} be kept so that all nodes hang together without a cycle?",
    "Count the spanning trees of the undirected graph {edges}.",
    edges=Edges(8, 14),
)
def _spanning_trees(edges: list[list[int]]) -> Answer:
    from fractions import Fraction

    size = max(max(edge) for edge in edges)
    rows = [[Fraction(0)] * size for _ in range(size)]
    for a, b in edges:
        rows[a - 1][a - 1] += 1
        rows[b - 1][b - 1] += 1
        rows[a - 1][b - 1] -= 1
        rows[b - 1][a - 1] -= 1
    rows = [row[1:] for row in rows[1:]]
    found = Fraction(1)
    for at in range(size - 1):
        pivot = next(row for row in range(at, size - 1) if rows[row][at])
        if pivot != at:
            rows[at], rows[pivot], found = rows[pivot], rows[at], -found
        found *= rows[at][at]
        for row in range(at + 1, size - 1):
            factor = rows[row][at] / rows[at][at]
            rows[row] = [x - factor * y for x, y in zip(rows[row], rows[at], strict=True)]
    return int(found)


@problem(
    "In how many ways can the nodes of the graph {edges} be colored with {k} colors so that joined nodes differ?",
    "Exams that clash: {edges}. In how many ways can all exams be put into {k} slots without a clash?",
    "Evaluate the chromatic polynomial of the graph {edges} at {k}.",
    edges=Edges(7, 10), k=Int(3, 5),
)  # fmt: skip
def _colorings(edges: list[list[int]], k: int) -> Answer:
    from itertools import product

    size = max(max(edge) for edge in edges)
    return sum(all(colors[a - 1] != colors[b - 1] for a, b in edges) for colors in product(range(k), repeat=size))


@problem(
    "How many walks of {n} steps lead from node 1 to node 2 in the undirected graph {edges}?",
    "Along the edges {edges}, in how many ways can one go from 1 to 2 in exactly {n} steps? Nodes may come again.",
    "Take the adjacency matrix of {edges} to the power {n}. What is the entry for nodes 1 and 2?",
    edges=Edges(7, 11), n=Int(5, 10),
)  # fmt: skip
def _walks(edges: list[list[int]], n: int) -> Answer:
    size = max(max(edge) for edge in edges)
    ways = [0, 1] + [0] * (size - 1)
    for _ in range(n):
        after = [0] * (size + 1)
        for a, b in edges:
            after[a] += ways[b]
            after[b] += ways[a]
        ways = after
    return ways[2]


@problem(
    "How many independent sets, the empty one included, does the graph {edges} have?",
    "Guests who quarrel: {edges}. How many guest lists, also an empty one, hold no quarrelling pair?",
    "Count the sets of nodes of {edges}, the empty set too, in which no two are joined by an edge.",
    edges=Edges(10, 14),
)
def _independent_sets(edges: list[list[int]]) -> Answer:
    size = max(max(edge) for edge in edges)
    return sum(all(not (chosen >> a - 1 & chosen >> b - 1 & 1) for a, b in edges) for chosen in range(1 << size))


@problem(
    "How many directed Hamiltonian paths (each node once, either direction counted) does the graph {edges} have?",
    "A postman visits every node of {edges} exactly once along its edges. In how many orders is that possible?",
    "Count the orderings of all nodes of {edges} in which neighbors in the ordering are joined by an edge.",
    edges=Edges(8, 16),
)
def _hamiltonian_paths(edges: list[list[int]]) -> Answer:
    size = max(max(edge) for edge in edges)
    joined = {pair for a, b in edges for pair in ((a - 1, b - 1), (b - 1, a - 1))}
    ways = {(1 << node, node): 1 for node in range(size)}
    for _ in range(size - 1):
        longer: dict[tuple[int, int], int] = {}
        for (seen, last), count in ways.items():
            for node in range(size):
                if not seen >> node & 1 and (last, node) in joined:
                    key = (seen | 1 << node, node)
                    longer[key] = longer.get(key, 0) + count
        ways = longer
    return sum(ways.values())


@problem(
    "What is the sum of the distances between all pairs of nodes of the graph {edges}, each pair once?",
    "What is the Wiener index of the graph {edges}?",
    "Count the edges on a shortest path for every pair of nodes of {edges}. What do they add up to?",
    edges=Edges(10, 12),
)
def _wiener_index(edges: list[list[int]]) -> Answer:
    nodes = {node for edge in edges for node in edge}
    total = 0
    for start in nodes:
        far, border = {start: 0}, [start]
        while border:
            node = border.pop(0)
            for a, b in edges:
                for one, other in ((a, b), (b, a)):
                    if one == node and other not in far:
                        far[other] = far[node] + 1
                        border.append(other)
        total += sum(far.values())
    return total // 2


@problem(
    "Pipes with their capacities in brackets: {edges}. How much can flow from 1 to 8 at most, in either direction "
    "along each pipe?",
    "What is the maximum flow between nodes 1 and 8 of the undirected network {edges}, capacities in brackets?",
    "Edges of {edges} cost what stands in brackets to cut. What is the least cost to separate node 1 from node 8?",
    edges=Edges(8, 15, 30),
)
def _least_cut(edges: list[list[int]]) -> Answer:
    return min(
        sum(weight for a, b, weight in edges if (side >> a - 1 & 1) != (side >> b - 1 & 1))
        for side in range(1, 1 << 8, 2)
        if not side >> 7 & 1
    )


@problem(
    "How many cycles does the graph {edges} have? A cycle visits no node twice; start and direction do not count.",
    "Count the simple cycles of the undirected graph {edges}.",
    "In how many subsets of the edges {edges} do the chosen edges form exactly one closed ring?",
    edges=Edges(8, 14),
)
def _cycles(edges: list[list[int]]) -> Answer:
    near: dict[int, list[int]] = {}
    for a, b in edges:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)

    def walks(first: int, node: int, seen: tuple[int, ...]) -> int:
        total = 0
        for other in near[node]:
            if other == first and len(seen) > 2:
                total += 1
            elif other > first and other not in seen:
                total += walks(first, other, (*seen, other))
        return total

    return sum(walks(node, node, (node,)) for node in near) // 2
