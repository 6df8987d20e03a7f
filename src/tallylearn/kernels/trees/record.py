"""Record: a tree as it is written down, node by node, and what waits to be grown.

Growing goes on without Python, which alone can make room: a grower that finds none stops before
anything has changed, says what is full, and is called again after ``enlarge``. It also returns,
with ``PAUSED``, after every ``cells_per_pause`` rows times columns of nodes (about 0.03 s), so that
the caller can react to an interrupt; called again, it goes on.
"""

import cython
import numpy as np

if not cython.compiled:
    PARENT, PLACE, FIRST, END, DEPTH, SEED, SLOT = range(7)
    TEST, COLUMN, CUT, NEXT, GAP_CHILD, ROWS, LEADS_END, TIES_END = range(2, 10)
    NODES_FULL, LEADS_FULL, TIES_FULL, STACK_FULL = range(1, 5)
    PAUSED = 9


class Ties:
    """Questions that are as good as the best: column, the codes before and after the cut, or -1."""

    def __init__(self, most):
        self.ties = np.empty((most, 3), np.int64)
        self.n = 0

    def note(self, column, cut, after):
        """One tie; where there is no room it is counted only."""
        if self.n < self.ties.shape[0]:
            self.ties[self.n, 0] = column
            self.ties[self.n, 1] = cut
            self.ties[self.n, 2] = after
        self.n += 1

    def full(self):
        """Whether some were counted only."""
        return self.n > self.ties.shape[0]

    def enlarge(self):
        """Twice the room."""
        self.ties = _doubled(np.asarray(self.ties))

    def array(self):
        """(t, 3) those that were noted."""
        return np.asarray(self.ties)[: self.n]


class Record:
    """The nodes (see ``record.pxd`` for their columns), impurity and gain, totals, and leads.

    A lead is a code and the child that it leads to. The leads and ties of a node end where its
    ``LEADS_END`` and ``TIES_END`` say, and begin where those of the node before it end. What waits
    is a stack, the next node on top; ``bounds``: between which answers each of these must stay.
    ``draws``: whether cuts are drawn, and noted behind the gain.
    """

    def __init__(self, nodes, columns, width, draws=False):
        self.stack, self.bounds = np.empty((64, 7), np.int64), np.empty((64, 2))
        self.nodes = np.empty((nodes, 10), np.int64)
        self.reals = np.empty((nodes, 3 if draws else 2))
        self.totals = np.empty((nodes, width), np.int64)
        self.leads = np.empty((nodes, 2), np.int64)
        self.ties = Ties(64 + 8 * columns)
        self.waiting = self.n_nodes = self.n_leads = 0
        self.cells_per_pause = 1 << 22

    def begin(self, first, end, depth=0, seed=0):
        """A root: the rows from first to end."""
        self.wait(0, -1, 0, first, end, depth)
        self.stack[0, SEED] = seed
        self.stack[0, SLOT] = -1
        self.bounds[0, 0], self.bounds[0, 1] = -np.inf, np.inf
        self.waiting = 1

    def enlarge(self, full):
        """Twice the room for what is full."""
        if full == NODES_FULL:
            self.nodes = _doubled(np.asarray(self.nodes))
            self.reals = _doubled(np.asarray(self.reals))
            self.totals = _doubled(np.asarray(self.totals))
        elif full == LEADS_FULL:
            self.leads = _doubled(np.asarray(self.leads))
        elif full == TIES_FULL:
            self.ties.enlarge()
        else:
            self.stack = _doubled(np.asarray(self.stack))
            self.bounds = _doubled(np.asarray(self.bounds))

    def arrays(self):
        """Nodes, reals, totals, leads and ties, as far as they are written."""
        n: cython.Py_ssize_t = self.n_nodes
        nodes, reals = np.asarray(self.nodes)[:n], np.asarray(self.reals)[:n]
        leads = np.asarray(self.leads)[: self.n_leads]
        return nodes, reals, np.asarray(self.totals)[:n], leads, self.ties.array()

    def no_room(self):
        """Whether there is none for another node."""
        return self.n_nodes >= self.nodes.shape[0]

    def lead(self, code, child):
        """Which code leads to which child of the node that is written next."""
        self.leads[self.n_leads, 0] = code
        self.leads[self.n_leads, 1] = child
        self.n_leads += 1

    def note(self, test, column, rows):
        """Begin to write the node on top of the stack, as a leaf."""
        node: cython.Py_ssize_t = self.n_nodes
        self.nodes[node, PARENT] = self.stack[self.waiting - 1, PARENT]
        self.nodes[node, PLACE] = self.stack[self.waiting - 1, PLACE]
        self.nodes[node, TEST] = test
        self.nodes[node, COLUMN] = column
        self.nodes[node, CUT] = -1
        self.nodes[node, NEXT] = -1
        self.nodes[node, GAP_CHILD] = -1
        self.nodes[node, ROWS] = rows

    def ask(self, cut, after, gap_child):
        """What it asks: the codes before and after the cut, and the child of what is missing."""
        self.nodes[self.n_nodes, CUT] = cut
        self.nodes[self.n_nodes, NEXT] = after
        self.nodes[self.n_nodes, GAP_CHILD] = gap_child

    def measure(self, impurity, gain):
        self.reals[self.n_nodes, 0] = impurity
        self.reals[self.n_nodes, 1] = gain

    def part_at(self, point):
        """Where numbers are parted, if that was drawn."""
        if self.reals.shape[1] > 2:
            self.reals[self.n_nodes, 2] = point

    def close(self):
        """End the node, with the leads and ties that there are by now."""
        self.nodes[self.n_nodes, LEADS_END] = self.n_leads
        self.nodes[self.n_nodes, TIES_END] = self.ties.n
        self.n_nodes += 1

    def wait(self, at, parent, place, first, end, depth):
        """A node at a place of the stack."""
        self.stack[at, PARENT] = parent
        self.stack[at, PLACE] = place
        self.stack[at, FIRST] = first
        self.stack[at, END] = end
        self.stack[at, DEPTH] = depth


def _doubled(array):
    out = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out
