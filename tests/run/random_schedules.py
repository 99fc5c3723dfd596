#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever the schedule, the result is the same to the bit.  args: BIN"""

import random

import harness

SEED = 3735928559
PARTS = (20, 15, 15)
# of which none is a multiple of 2 to 6
SIZES = (60013, 65521, 70001, 80021, 99991)
SECONDS = 2

print(f"# seed {SEED}")


def sizes(dice, first, many):
    """A walk over sizes from 1 to 6, each unlike the one before."""
    walk = [first]
    for _ in range(many):
        walk.append(dice.choice([n for n in range(1, 7) if n != walk[-1]]))
    return walk[1:]


def moments(dice, many, last, unit):
    return [f"{at}{unit}" for at in
            sorted(dice.sample(range(5, last), many))]


def work_of(dice):
    return harness.work_for(SECONDS, dice.choice(SIZES))


def check(work, at, what):
    """Returns how many rescales were made."""
    assert at.end(120) == 0, f"ended with {at.end()}: {what}"
    assert harness.digest(at.output) == work.digest(), what
    return at.errors.count(" cost a pause of ")


def scheduled(room, number, last, unit):
    dice = random.Random(SEED + number)
    work, first = work_of(dice), dice.randint(1, 6)
    many = dice.randint(2, 4)
    steps = ", ".join(
        f"{{at: {at}, ranks: {ranks}}}" for at, ranks in
        zip(moments(dice, many, last, unit), sizes(dice, first, many)))
    path = room.job(work, name=f"r{number}", ranks=(first, 1, 6),
                    checkpoint=f"{{dir: ck{number}}}",
                    scale=f"{{schedule: [{steps}]}}")
    make_checkpoint_dir(room, number)
    return check(work, room.run("bellows", "run", path, patience=120),
                 f"run {number}, {first} ranks, {steps}")


def make_checkpoint_dir(room, number):
    room.run("/bin/mkdir", room.path(f"ck{number}")).ends_with(0)


def asked(room, number):
    dice = random.Random(SEED + number)
    work, first = work_of(dice), dice.randint(1, 6)
    name = f"r{number}"
    make_checkpoint_dir(room, number)
    path = room.job(work, name=name, ranks=(first, 1, 6),
                    checkpoint=f"{{dir: ck{number}}}")
    at = room.start("bellows", "run", path)
    room.wait("the job", lambda: at.is_over() or room.status(name))
    walk = sizes(dice, first, dice.randint(2, 4))
    for ranks in walk:
        room.moment(dice.random())
        # declined while one is under way, too late when the job is over
        code = room.run("bellows", "scale", name, ranks,
                        *(["--wait"] * dice.randint(0, 1))).end()
        assert code in (0, 69, 76), f"scale ended with {code}"
    return check(work, at, f"run {number}, {first} ranks, asked for {walk}")


def each(begin, part, make):
    """At least one rescale a run was made, on average."""
    done = sum(make(number) for number in range(begin, begin + PARTS[part]))
    print(f"# {PARTS[part]} runs, {done} rescales")
    assert done >= PARTS[part], done


def rescaled_by_progress_runs_have_the_digest_of_plain_mpiexec(room):
    each(0, 0, lambda number: scheduled(room, number, 85, "%"))


def rescaled_by_time_runs_have_the_digest_of_plain_mpiexec(room):
    each(20, 1, lambda number: scheduled(room, number, 3000, "ms"))


def rescaled_when_asked_runs_have_the_digest_of_plain_mpiexec(room):
    each(35, 2, lambda number: asked(room, number))


harness.main(
    rescaled_by_progress_runs_have_the_digest_of_plain_mpiexec,
    rescaled_by_time_runs_have_the_digest_of_plain_mpiexec,
    rescaled_when_asked_runs_have_the_digest_of_plain_mpiexec,
)
