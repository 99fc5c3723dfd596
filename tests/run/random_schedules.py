#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever the schedule, the result is the same to the bit.  args: BIN"""

import harness

PARTS = [harness.some(*many) for many in ((20, 4), (15, 3), (15, 3))]
# of which none is a multiple of 2 to 6
SIZES = (6007, 6547, 7001, 8009, 9973)
LONG = 60    # seconds on two ranks; it is let end before
BRIEF = 15   # the same where progress is what is looked at
LAST = 3000  # ms, of a schedule

print(f"# seed {harness.SEED}")


def sizes(dice, first, many):
    """A walk over sizes from 1 to 6, each unlike the one before."""
    walk = [first]
    for _ in range(many):
        walk.append(dice.choice([n for n in range(1, 7) if n != walk[-1]]))
    return walk[1:]


def moments(dice, many, last, unit):
    return [f"{at}{unit}" for at in
            sorted(dice.sample(range(5, last), many))]


def work_of(dice, seconds):
    return harness.work_for(seconds, dice.choice(SIZES))


def check(work, at, what):
    """Returns how many rescales were made."""
    assert at.end(120) == 0, f"ended with {at.end()}: {what}"
    assert harness.digest(at.output) == work.digest(), what
    return at.errors.count(" cost a pause of ")


def scheduled(room, number, work, last, unit, end):
    """end(name): waits until the job may run to its end."""
    dice, name = harness.dice(number), f"r{number}"
    first, many = dice.randint(1, 6), dice.randint(2, 4)
    steps = ", ".join(
        f"{{at: {at}, ranks: {ranks}}}" for at, ranks in
        zip(moments(dice, many, last, unit), sizes(dice, first, many)))
    make_checkpoint_dir(room, number)
    path = room.job(work, name=name, ranks=(first, 1, 6),
                    checkpoint=f"{{dir: ck{number}}}",
                    scale=f"{{schedule: [{steps}]}}")
    at = room.start("bellows", "run", path)
    end(name)
    return check(work, at, f"run {number}, {first} ranks, {steps}")


def past_the_last_step(room, name):
    def look():
        job = room.status(name)
        return not job or job["state"] == "running" and \
            (job["progress"] or 0) > 0.85
    room.wait("the job", lambda: room.status(name), again=harness.ASK_AGAIN)
    room.wait("it is past the last step, or over", look,
              again=harness.ASK_AGAIN)
    room.pace(0)


def by_progress(room, number):
    work = work_of(harness.dice(number), BRIEF)
    return scheduled(room, number, work, 85, "%",
                     lambda name: past_the_last_step(room, name))


def let_it_end(room, name, least=0):
    """Once nothing is under way, and it is as old as this, in ms."""
    room.wait_job("nothing is under way", lambda job: job["age_ms"] > least
                  and job["state"] == "running" and harness.has_stepped(job),
                  name)
    room.pace(0)


def by_time(room, number):
    work = work_of(harness.dice(number), LONG)
    return scheduled(room, number, work, LAST, "ms",
                     lambda name: let_it_end(room, name, LAST))


def make_checkpoint_dir(room, number):
    room.run("/bin/mkdir", room.path(f"ck{number}")).ends_with(0)


def asked(room, number):
    dice, name = harness.dice(number), f"r{number}"
    work, first = work_of(dice, LONG), dice.randint(1, 6)
    make_checkpoint_dir(room, number)
    path = room.job(work, name=name, ranks=(first, 1, 6),
                    checkpoint=f"{{dir: ck{number}}}")
    at = room.start("bellows", "run", path)
    room.wait("the job", lambda: room.status(name),
              again=harness.ASK_AGAIN)
    walk = sizes(dice, first, dice.randint(2, 4))
    for ranks in walk:
        room.moment(dice.random())
        # declined if it is to have that many already
        code = room.run("bellows", "scale", name, ranks,
                        *(["--wait"] * dice.randint(0, 1))).end()
        assert code in (0, 69, 76), f"scale ended with {code}"
    let_it_end(room, name)
    return check(work, at, f"run {number}, {first} ranks, asked for {walk}")


def each(room, begin, part, make):
    """At least one rescale a run was made, on average."""
    done = sum(make(room, number)
               for number in range(begin, begin + PARTS[part]))
    print(f"# {PARTS[part]} runs, {done} rescales")
    assert done >= PARTS[part], done


def rescaled_by_progress_runs_have_the_digest_of_plain_mpiexec(room):
    each(room, 0, 0, by_progress)


def rescaled_by_time_runs_have_the_digest_of_plain_mpiexec(room):
    each(room, 20, 1, by_time)


def rescaled_when_asked_runs_have_the_digest_of_plain_mpiexec(room):
    each(room, 35, 2, asked)


harness.main(
    rescaled_by_progress_runs_have_the_digest_of_plain_mpiexec,
    rescaled_by_time_runs_have_the_digest_of_plain_mpiexec,
    rescaled_when_asked_runs_have_the_digest_of_plain_mpiexec,
    side_by_side=3,
)
