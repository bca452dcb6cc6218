"""Routes of the picture's arrows: straight down if possible, else between the boxes. Those to the same module merge;
all others keep apart and cross as rarely as possible."""

from itertools import permutations

# The steps in a column, and the least distance between lines to different modules.
STEPS, APART = 10, 2
# The costs of a bend, a crossing and an arrowhead, in steps.
BEND, CROSSING, HEAD = 10, 4, 6


class Box:
    """A module's place: its row from the top, and its edges in steps from the left."""

    def __init__(self, name, place):
        self.name, self.row = name, place["row"]
        self.left, self.right = round(place["from"] * STEPS), round(place["to"] * STEPS)

    def ports(self, margin):
        """Where an arrow may begin or end, and at what cost: the middle is best, above all for a narrow box."""
        middle, width = (self.left + self.right) / 2, self.right - self.left
        return {step: 5 * abs(step - middle) / width for step in range(self.left + margin, self.right - 1)}


class Routes:
    """A path for each edge: the step where it leaves its source, and the step in each row below, down to its target or
    to a row with an earlier path to the same target."""

    def __init__(self, boxes, edges, columns):
        self.boxes, self.steps = boxes, range(1, columns * STEPS)
        self.pieces = {}  # The gap below each row: {(step above, step below, target)}.
        self.paths = {}

        def ease(edge):
            """Short ones first, then the cheap: others join them."""
            return boxes[edge[1]].row - boxes[edge[0]].row, self.cheapest(boxes[edge[0]], boxes[edge[1]])[0], edge

        for source, target in sorted(edges, key=ease):
            _, path = self.cheapest(boxes[source], boxes[target])
            self.paths[source, target] = path
            for gap, (above, below) in enumerate(zip(path, path[1:]), boxes[source].row):
                self.pieces.setdefault(gap, set()).add((above, below, target))

    def cheapest(self, source, target):
        """(cost, path) of the cheapest path, row by row: for each step of a row, the cheapest way there."""
        reached = {step: (cost, [step]) for step, cost in source.ports(2).items()}
        ends = []
        for row in range(source.row + 1, target.row + 1):
            gap = row - 1
            meets = {below for _, below, name in self.pieces.get(gap, ()) if name == target.name}
            places = {step: cost + HEAD for step, cost in target.ports(4).items()} if row == target.row else self.free(row)
            reached = [(cost, path) for step, (cost, path) in reached.items() if self.is_clear(gap, step, target)]
            found = {}
            for step in sorted(places.keys() | meets):
                if reached and self.is_clear(gap, step, target):
                    cost, path = min((cost + self.cost(gap, path[-1], step, target), path) for cost, path in reached)
                    found[step] = cost + (0 if step in meets else places[step]), [*path, step]
            ends += [way for step, way in found.items() if step in meets or row == target.row]
            reached = {step: way for step, way in found.items() if step in places}
        if not ends:
            raise SystemExit(f"no way for an arrow from {source.name} to {target.name}: leave room between boxes")
        return min(ends)

    def free(self, row):
        """Where a line can pass through a row."""
        boxes = [box for box in self.boxes.values() if box.row == row]
        return {step: 0 for step in self.steps if not any(box.left < step < box.right for box in boxes)}

    def is_clear(self, gap, step, target):
        """Whether no line in the gap is too near; one to the same target may coincide."""
        return all(
            abs(step - other) >= APART or step == other and name == target.name
            for *ends, name in self.pieces.get(gap, ()) for other in ends)

    def cost(self, gap, start, end, target):
        """The cost of a way aside: its length, bends and crossings."""
        crossed = {
            other for *ends, name in self.pieces.get(gap, ()) for other in ends
            if name != target.name and min(start, end) < other < max(start, end)}
        return abs(start - end) + CROSSING * len(crossed) + (BEND if start != end else 0)

    def tracks(self, gap):
        """Target → its horizontal line in the gap, from the top, so that the fewest cross."""
        above, below, bent = {}, {}, set()
        for start, end, target in self.pieces.get(gap, ()):
            above.setdefault(target, set()).add(start)
            below.setdefault(target, set()).add(end)
            bent |= {target} if start != end else set()
        spans = {target: (min(above[target] | below[target]), max(above[target] | below[target])) for target in bent}

        def crossings(order):
            return sum(
                spans[target][0] < step < spans[target][1]
                for place, target in enumerate(order) for index, other in enumerate(order) if other != target
                for step in (above if index > place else below)[other])

        found = {}
        for target in min(permutations(sorted(bent)), key=crossings):
            overlapping = [
                found[other] for other in found
                if spans[other][0] - APART < spans[target][1] and spans[target][0] - APART < spans[other][1]]
            found[target] = 1 + max(overlapping, default=-1)
        return found
