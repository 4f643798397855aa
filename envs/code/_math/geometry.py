"""Geometry."""

from __future__ import annotations

from agentgym.envs.code._math.book import BOOK, Answer, Int, Points

problem = BOOK.topic("geometry")


@problem(
    "How many points with integer coordinates lie within distance {r} of the origin, the boundary included?",
    "Count the lattice points (x, y) with x^2 + y^2 <= {r}^2.",
    "A circle of radius {r} is drawn around a crossing of a unit grid. How many crossings lie in it or on it?",
    r=Int(8, 400),
)
def _points_in_circle(r: int) -> Answer:
    from math import isqrt

    return sum(2 * isqrt(r * r - x * x) + 1 for x in range(-r, r + 1))


@problem(
    "What is the area of the convex hull of the points {points}, times two?",
    "A rubber band is put around nails at {points}. What is twice the area that it encloses?",
    "Find two times the area of the smallest convex polygon that contains {points}.",
    points=Points(8, 25),
)
def _hull_area(points: list[list[int]]) -> Answer:
    hull: list[list[int]] = []
    for order in (sorted(points), sorted(points, reverse=True)):
        side: list[list[int]] = []
        for x, y in order:
            while len(side) > 1:
                (ax, ay), (bx, by) = side[-2], side[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                side.pop()
            side.append([x, y])
        hull += side[:-1]
    return abs(sum(a * d - b * c for (a, b), (c, d) in zip(hull, hull[1:] + hull[:1], strict=True)))


@problem(
    "How many triangles with integer sides have perimeter {p}? Congruent ones count once.",
    "Count the triples of integers a <= b <= c with a + b + c = {p} that are sides of a triangle with positive area.",
    "A rod of length {p} is cut into three pieces of whole length that form a triangle. How many shapes are there?",
    p=Int(40, 300),
)
def _triangles_of_perimeter(p: int) -> Answer:
    return sum(1 for a in range(1, p // 3 + 1) for b in range(a, (p - a) // 2 + 1) if a + b > p - a - b)


@problem(
    "How many right triangles with integer legs a <= b have an integer hypotenuse of at most {n}?",
    "Count the triples a <= b < c <= {n} of positive integers with a^2 + b^2 = c^2.",
    "How many Pythagorean triples, primitive or not, have no number above {n}?",
    n=Int(60, 400),
)
def _pythagorean(n: int) -> Answer:
    squares = {c * c for c in range(1, n + 1)}
    return sum(1 for a in range(1, n) for b in range(a, n) if a * a + b * b in squares)


@problem(
    "How many points with integer coordinates lie strictly inside the triangle with corners {points}?",
    "The corners of a triangle are {points}. Count the lattice points in its interior.",
    "On a unit grid the triangle {points} is drawn. How many grid points are inside, not on its sides?",
    points=Points(3, 40),
)
def _points_in_triangle(points: list[list[int]]) -> Answer | None:
    from math import gcd

    (ax, ay), (bx, by), (cx, cy) = points
    twice = abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
    sides = ((ax - bx, ay - by), (bx - cx, by - cy), (cx - ax, cy - ay))
    return (twice - sum(gcd(x, y) for x, y in sides) + 2) // 2 if twice else None


@problem(
    "How many rectangles that are no squares are there in a grid of {w} by {h} unit squares, along its lines?",
    "A board has {w} by {h} fields. Count the rectangles formed by its lines, leaving out squares.",
    "In a {w} x {h} grid, how many rectangles with sides on the grid lines have two different side lengths?",
    w=Int(5, 30), h=Int(5, 30),
)  # fmt: skip
def _rectangles_no_squares(w: int, h: int) -> Answer:
    squares = sum((w - side + 1) * (h - side + 1) for side in range(1, min(w, h) + 1))
    return w * (w + 1) * h * (h + 1) // 4 - squares


@problem(
    "A block of {a} by {b} by {c} unit cubes is pierced along a space diagonal. Through how many cubes does it go?",
    "How many unit cubes of an {a} x {b} x {c} block does its inner diagonal pass through?",
    "A straight wire joins opposite corners of a box of {a} by {b} by {c} unit cubes. How many cubes does it cut?",
    a=Int(20, 400), b=Int(20, 400), c=Int(20, 400),
)  # fmt: skip
def _pierced_cubes(a: int, b: int, c: int) -> Answer:
    from math import gcd

    return a + b + c - gcd(a, b) - gcd(b, c) - gcd(c, a) + gcd(a, gcd(b, c))


@problem(
    "Squares of side {s} with sides along the axes have their lower left corners at {points}. What area do they cover?",
    "Posters of {s} by {s} are hung with lower left corners at {points}. How much of the wall is covered?",
    "What is the area of the union of the axis-parallel {s} x {s} squares whose lower left corners are {points}?",
    points=Points(5, 14), s=Int(4, 9),
)  # fmt: skip
def _covered_area(points: list[list[int]], s: int) -> Answer:
    return len({(x + i, y + j) for x, y in points for i in range(s) for j in range(s)})


@problem(
    "How many triangles with positive area have their corners among the points {points}?",
    "Choose three of the points {points} that are not on one line. In how many ways?",
    "Given {points}, count the sets of three points that do not lie on a line.",
    points=Points(12, 5),
)
def _true_triangles(points: list[list[int]]) -> Answer:
    from itertools import combinations

    return sum(
        (bx - ax) * (cy - ay) != (by - ay) * (cx - ax) for (ax, ay), (bx, by), (cx, cy) in combinations(points, 3)
    )


@problem(
    "How many squares, tilted ones included, have all four corners among the {w} by {h} points of a grid?",
    "A pegboard has {w} by {h} pegs. Around how many sets of four pegs can a band form a square, in any direction?",
    "Count all squares, tilted ones too, whose corners are points of a {w} x {h} lattice of points.",
    w=Int(5, 22), h=Int(5, 22),
)  # fmt: skip
def _tilted_squares(w: int, h: int) -> Answer:
    return sum((w - side) * (h - side) * side for side in range(1, min(w, h)))


@problem(
    "What is the sum of the squared distances between all pairs of the points {points}?",
    "For each two of the points {points} take the square of their distance. What is the total?",
    "Add (x1 - x2)^2 + (y1 - y2)^2 over all unordered pairs of points of {points}.",
    points=Points(7, 30),
)
def _squared_distances(points: list[list[int]]) -> Answer:
    from itertools import combinations

    return sum((a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in combinations(points, 2))
