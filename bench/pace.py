# SPDX-License-Identifier: Apache-2.0
"""How fast jobs went that ran at the same time.

No two begin to compute at the same moment, nor do they end at one, and whoever is
alone on the machine is faster.  So they are compared only while all of them
computed, each by the steps that it made in that time.

A job's points are (time of day, steps that were done then), in their order.
"""

from runs import Failed


def window(all_points):
    """From when to when all of them computed.  Beyond a job's first and last
    point it did not, or it is not known."""
    if not all(all_points):
        raise Failed("a job told no step")
    begin = max(points[0][0] for points in all_points)
    end = min(points[-1][0] for points in all_points)
    if begin >= end:
        raise Failed("the jobs computed one after the other; see --length")
    return begin, end


def steps(points, when):
    """Done at that time, which is within them; a part of one, too."""
    for (t_0, n_0), (t_1, n_1) in zip(points, points[1:]):
        if t_0 <= when <= t_1:
            return n_0 + (n_1 - n_0) * (when - t_0) / (t_1 - t_0)
    raise ValueError(f"{when} is not within {points[0][0]} to {points[-1][0]}")


def of_a_step(points, begin, end):
    """Seconds that a step took in that time."""
    made = steps(points, end) - steps(points, begin)
    if made <= 0:
        raise Failed("a job made no step while the others computed")
    return (end - begin) / made
