# SPDX-License-Identifier: Apache-2.0
"""The experiment of Kub's figure 5: its cells, what the best would be, and what
Kub itself measured.

The ideal is a rescale that costs nothing: the share f of the work before it at
the speed of the one size, the rest at the speed of the other, both from runs of
one's own that were not rescaled.
"""

import math

from machine import median

SIZES = (2, 4, 6)
CHANGES = ((2, 4), (2, 6), (4, 6))
SHARES = (30, 50, 70)   # percent of the progress
TARGET = 0.97           # of the ideal, for parint

# SBAC-PAD 2023, figure 5: seconds, means of 3 runs on a node with 8 cores.
KUB = {
    "parint, NLOOP 32": {
        2: 564, 4: 219, 6: 154,
        (2, 4): (322, 399, 450), (2, 6): (281, 370, 447),
        (4, 6): (194, 242, 241)},
    "gromacs": {
        2: 478, 4: 200, 6: 166,
        (2, 4): (330, 425, 519), (2, 6): (296, 351, 467),
        (4, 6): (191, 206, 188)},
}


class Cell:
    """One bar: a change of the size at a share of the progress, or none.

    is_free: the job may change its size from there on, and decides."""

    def __init__(self, before, after=None, share=None, is_free=False):
        self.before, self.after, self.share = before, after, share
        self.is_free = is_free
        self.name = f"{before}->{after}@{share}%" if after else str(before)
        if is_free:
            self.name += ", by benefit"

    def ideal(self, alone):
        """alone: size -> seconds without a rescale."""
        if not self.after:
            return alone[self.before]
        f = self.share / 100
        return f * alone[self.before] + (1 - f) * alone[self.after]

    def kub(self, name):
        """Kub's own share of its own ideal; nan: not in its figure."""
        if name not in KUB or not self.after:
            return math.nan
        figure = KUB[name]
        taken = figure[self.before, self.after][SHARES.index(self.share)]
        return self.ideal(figure) / taken


def fixed():
    return [Cell(size) for size in SIZES]


def rescaled():
    return [Cell(*change, share) for change in CHANGES for share in SHARES]


def needed(only):
    """All cells, or those of that name with the sizes that they begin and end
    with."""
    if not only:
        return fixed() + rescaled()
    chosen = [cell for cell in rescaled() if cell.name in only]
    sizes = {size for cell in chosen for size in (cell.before, cell.after)}
    sizes |= {size for size in SIZES if str(size) in only}
    return [cell for cell in fixed() if cell.before in sizes] + chosen


def decided(only):
    """Each cell that changes, or those of that name: not at all, by force, and
    by its own decision."""
    chosen = [cell for cell in rescaled() if not only or cell.name in only]
    sizes = {cell.before for cell in chosen}
    free = [Cell(cell.before, cell.after, cell.share, True) for cell in chosen]
    return [cell for cell in fixed() if cell.before in sizes] + [
        cell for pair in zip(chosen, free) for cell in pair]


def medians(samples, what="wall"):
    """samples: cell name -> runs -> their median, of cells that have runs."""
    return {name: median([getattr(run, what) for run in some])
            for name, some in samples.items() if some}


def alone(samples):
    """size -> seconds, of what was measured."""
    found = medians(samples)
    return {size: found[str(size)] for size in SIZES if str(size) in found}
