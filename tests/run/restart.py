#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A coordinator that is killed, and the one that takes its place.  args: BIN"""

import json
import os
import re
import signal
import zlib

import harness
from crew import Crew, resumed, steps_of

# After each of these the coordinator is killed in the middle of a grow; the
# matrix has these too.
WORDS = ("saved", "prepared", "ranks-up", "scale", "executors", "stopped",
         "resumed", "step")


class Killed(Crew):
    def journal(self):
        return harness.read(f"{self.state}/journal", "r")

    def kill(self):
        os.kill(self.lead.pid, signal.SIGKILL)
        self.lead.end()
        return self.lead

    def again(self):
        before, self.lead = self.lead, self.begin()
        return before

    def has(self, word, since=0):
        """The journal has an event of that kind, behind the first bytes."""
        return self.room.wait(f"{word} in the journal", lambda: re.search(
            rf"^\w+ \d+ event {word} ", self.journal()[since:], re.M))


    def grows(self):
        """From two ranks to three."""
        self.room.run("bellows", "scale", "heat", 3).ends_with(0)
        self.join("w2")
        return self.computes(3)


def begun(room):
    work = harness.lasting_work()
    return work, Killed(room, room.job(work), 2).computes(2)


def has_kept(before, now):
    """The first rescale is told as it was before; what differs is named."""
    former, same = before["history"][0], now["history"][0]
    differ = {key: (former.get(key), same.get(key)) for key in {*former, *same}
              if former.get(key) != same.get(key)}
    assert not differ, differ


def the_size_and_the_history_outlive_the_coordinator(room):
    work, crew = begun(room)
    crew.grows()
    crew.has("step 2")  # what is in the journal outlives the coordinator
    before = room.status()
    first = crew.kill()
    crew.again()
    now = room.wait_job("it computes again", lambda job: job["epoch"] == 3
                        and harness.has_stepped(job))
    assert [(at["from"], at["to"], at["result"]) for at in now["history"]] == \
        [(2, 3, "done"), (3, 3, "done")], now["history"]
    has_kept(before, now)
    assert now["rescales"] == 2 and now["epoch"] == 3
    assert now["age_ms"] > before["age_ms"]
    crew.done(work)
    assert len(resumed(first)) == len(resumed(crew.lead)) == 1
    crew.lead.says("taking over at 3 ranks, running, after start 2")


def a_kill_in_a_grow_ends_with_the_old_size_or_the_new_one(room):
    for word in WORDS:
        work, crew = begun(room)
        since = len(crew.journal())
        room.run("bellows", "scale", "heat", 3).ends_with(0)
        crew.join("w2")
        crew.has(word, since)
        crew.kill()
        crew.again()
        crew.started()
        now = room.wait_job("it computes", lambda job: job["state"] == "running"
                            and harness.has_stepped(job))
        assert now["ranks"] in (2, 3), now
        crew.done(work)
        room.clear()


def a_coordinator_killed_while_it_takes_over_is_replaced_again(room):
    work, crew = begun(room)
    for _ in range(3):
        since = len(crew.journal())
        crew.kill()
        crew.again()
        crew.has("restarted", since)
    crew.done(work)


def what_is_damaged_meanwhile_gives_way_to_the_one_before(room):
    work, crew = begun(room)
    crew.grows()
    kept = room.path("ck", "bellows-kept")
    room.wait("one is kept", lambda: os.path.exists(f"{kept}/1/parint.ckpt"))
    room.run("bellows", "scale", "heat", 2).ends_with(0)
    room.wait("two are", lambda: os.path.exists(f"{kept}/2/parint.ckpt"))
    first = crew.kill()
    for newest in room.path("ck", "parint.ckpt"), f"{kept}/1/parint.ckpt":
        os.truncate(newest, os.path.getsize(newest) // 2)
    crew.again()
    crew.computes(2)
    saved = re.findall(r"^parint: checkpoint at iteration (\d+)", first.output,
                       re.M)
    assert resumed(crew.lead) == [int(saved[0])], (saved, resumed(crew.lead))
    crew.lead.says("the newest is gone, or damaged: going on from the one of "
                   f"step {saved[0]}")
    crew.done(work)


def a_torn_line_is_dropped_and_said(room):
    work, crew = begun(room)
    crew.kill()
    with open(f"{crew.state}/journal", "a", encoding="ascii") as file:
        file.write("12345678 99999 event scale 0 3")
    crew.again()
    crew.computes(2)
    crew.lead.says("journal: the last line is torn")
    crew.done(work)


def a_damaged_journal_is_believed_up_to_there_and_kept(room):
    work, crew = begun(room)
    crew.grows()
    crew.kill()
    path = f"{crew.state}/journal"
    lines = crew.journal().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if " event scale " in line)
    damaged = lines[:at] + ["x" + lines[at][1:]] + lines[at + 1:]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(damaged)
    crew.again()
    crew.computes(2)
    crew.lead.says(f"journal:{at + 1}: damaged")
    assert harness.read(path + ".damaged", "r") == "".join(damaged)
    assert crew.journal().startswith("".join(lines[:at]))
    crew.done(work)


def a_coordinator_whose_journal_another_writes_leaves_the_job_alone(room):
    _, crew = begun(room)
    with open(f"{crew.state}/journal", "a", encoding="ascii") as file:
        file.write("\n")
    room.run("bellows", "scale", "heat", 1)
    crew.lead.ends_with(71).says("another coordinator has written to it")
    assert os.path.exists(f"{crew.state}/address")
    crew.tell("w0", "w1")
    for hand in crew.hands.values():
        hand.ends_with(128 + signal.SIGTERM)
    crew.again()
    room.wait("it listens", lambda: "listening" in crew.lead.errors)
    crew.lead.tell(signal.SIGTERM)
    crew.lead.ends_with(75)


def a_job_that_was_saved_begins_a_journal_of_its_own(room):
    work, crew = begun(room)
    crew.grows()
    crew.lead.tell(signal.SIGINT)
    crew.lead.ends_with(75)
    for hand in crew.hands.values():
        hand.ends_with(0)
    second = Killed(room, crew.path, 3).computes(3)  # as stated before
    assert "restarted" not in second.journal()
    assert " event suspend " in harness.read(
        f"{crew.state}/previous/journal", "r")
    second.done(work)


# ---- numbers that the command line states ----

def numbers(job):
    return job["ranks"], job["want"], job["grant"]


def stated(room, work):
    crew = Killed(room, room.job(work), 3,
                  listen=("--want", "4", "--grant", "3")).computes(3)
    crew.listen = ()
    return crew


def the_numbers_that_a_job_began_with_outlive_the_coordinator(room):
    work = harness.lasting_work()
    crew = stated(room, work)
    crew.join("w3")  # it could run on 4
    crew.kill()
    crew.again()
    assert numbers(room.runs_on(3, after=1)) == (3, 4, 3)
    crew.lead.tell(signal.SIGTERM)
    crew.lead.ends_with(75)
    crew.again()
    assert numbers(room.runs_on(3, after=2)) == (3, 4, 3)
    crew.done(work)


def a_coordinator_that_takes_over_is_told_other_numbers(room):
    work = harness.lasting_work()
    crew = stated(room, work)
    crew.kill()
    crew.listen = ("--grant", "2")
    crew.again()
    assert numbers(room.runs_on(2)) == (2, 4, 2)
    crew.kill()
    crew.listen = ("--want", "1", "--grant", "3")
    crew.again()
    assert numbers(room.runs_on(1)) == (1, 1, 3)
    crew.done(work)


def a_job_that_was_suspended_is_told_another_grant(room):
    work = harness.lasting_work()
    crew = stated(room, work)
    crew.lead.tell(signal.SIGINT)
    crew.lead.ends_with(75)
    second = Killed(room, crew.path, 2, listen=("--grant", "2")).computes(2)
    assert numbers(room.status()) == (2, 4, 2)
    second.done(work)


# ---- and one that is told to leave ----

def a_coordinator_that_is_told_to_leave_hands_the_job_over(room):
    work = harness.lasting_work(steps=True)
    crew = Killed(room, room.job(work), 2).computes(2)
    crew.grows()
    before = room.wait_job("a step", harness.has_stepped)
    crew.lead.tell(signal.SIGTERM)
    crew.lead.ends_with(75)
    crew.has("hand-over")
    first = crew.again()
    crew.computes(3)
    now = room.wait_job("a step", harness.has_stepped)
    has_kept(before, now)
    crew.lead.says("taking over at 3 ranks, waiting, after start")
    crew.done(work)  # of the same executors, of which none was told anything
    assert steps_of(first) + steps_of(crew.lead) == list(range(1, work.iterations + 1))


def a_coordinator_that_waits_for_executors_hands_over_too(room):
    work = harness.lasting_work()
    crew = Killed(room, room.job(work), 1)
    room.wait("it joins", lambda: "executor=w0 ready" in crew.lead.errors)
    crew.lead.tell(signal.SIGTERM)
    crew.lead.ends_with(75)
    crew.again()
    crew.join("w1")
    crew.computes(2).done(work)


def told_twice_it_does_not_wait_for_the_checkpoint(room):
    path = room.job(harness.Work(1, 1, 1), command=harness.STUBBORN, ranks=(2, 1, 2))
    crew = Killed(room, path, 2).computes(2)
    crew.lead.tell(signal.SIGTERM)
    room.wait_job("saving", lambda job: job["state"] == "saving")
    crew.lead.tell(signal.SIGTERM)
    crew.lead.ends_with(75).says("no new checkpoint in time")
    crew.tell("w0", "w1")
    for hand in crew.hands.values():
        hand.ends_with(128 + signal.SIGTERM)


def told_as_json(room):
    told = room.run("bellows", "history", "heat", "--json").ends_with(0)
    return [json.loads(line) for line in told.output.splitlines()]


def the_history_is_told_as_json_too(room):
    work, crew = begun(room)
    crew.grows()
    entries = told_as_json(room)
    assert entries[0]["entry"] == "begun" and entries[0]["job"] == "heat"
    scale = next(at for at in entries if at.get("event") == "scale")
    assert (scale["before"], scale["state"], scale["ranks"], scale["target"],
            scale["event_size"]) == ("running", "growing", 2, 3, 3), scale
    step = [at for at in entries if "pause_ms" in at]
    assert len(step) == 1 and step[0]["event"] == "step", step
    assert step[0]["pause_ms"] == room.status()["history"][0]["pause_ms"]
    crew.kill()
    crew.again()
    crew.done(work)
    entries = told_as_json(room)
    assert [at["entry"] for at in entries].count("life") == 1
    assert entries[-1]["state"] == "done", entries[-1]
    assert len(entries) == crew.journal().count("\n")
    none = room.run("bellows", "history", "nobody", "--json").ends_with(71)
    failure = json.loads(none.output)
    assert failure["exit_code"] == 71, failure
    assert failure["error"].endswith("nobody/journal: there is no journal")


def the_history_is_told_while_it_runs_and_afterwards(room):
    work, crew = begun(room)
    crew.grows()
    told = room.run("bellows", "history", "heat").ends_with(0)
    assert re.search(r"^ +\d+\.\d{3} s  scale, running -> growing, 2 -> 3 "
                     r"ranks, start 1: ", told.output, re.M), told.output
    crew.kill()
    crew.again()
    crew.done(work)
    told = room.run("bellows", "history", "heat").ends_with(0)
    for sentence in ("job heat began", "; the pause was ", "another coordinator took over",
                     "restarted, running -> waiting", "running -> done"):
        assert sentence in told.output, told.output
    room.run("bellows", "history", "nobody").ends_with(71).says(
        "nobody/journal: there is no journal")


def is_told_from_afar(room, crew, *more):
    """The same as from the journal itself, which may have grown meanwhile."""
    address = harness.read(f"{crew.state}/address", "r").strip()
    far = room.run("bellows", "history", "--connect", address, *more) \
        .ends_with(0).output
    near = room.run("bellows", "history", "heat", *more).ends_with(0).output
    assert far.count("\n") > 5 and near.startswith(far), (far, near)
    return far


def the_coordinator_tells_the_history_too(room):
    work, crew = begun(room)
    crew.grows()
    assert "scale, running -> growing" in is_told_from_afar(room, crew)
    assert '"event":"scale"' in is_told_from_afar(room, crew, "--json")
    address = harness.read(f"{crew.state}/address", "r").strip()
    os.rename(f"{crew.state}/journal", room.path("elsewhere"))
    room.run("bellows", "history", "--connect", address).ends_with(69).says(
        "the journal cannot be told; the coordinator's log says why")
    crew.lead.says("there is no journal")
    os.rename(room.path("elsewhere"), f"{crew.state}/journal")
    crew.done(work)


def a_long_history_is_told_to_its_end(room):
    """More than the coordinator's queue holds for one client."""
    work, crew = begun(room)
    crew.kill()
    at = crew.journal().splitlines()[-1].split()[1]
    line = f"{at} notice 1 ".encode() + 300 * b"\xff"
    with open(f"{crew.state}/journal", "ab") as journal:
        for _ in range(10000):
            journal.write(b"%08x %s\n" % (zlib.crc32(line), line))
    crew.again()
    crew.computes(2)
    told = is_told_from_afar(room, crew, "--json")
    assert told.count('"notice"') == 10000
    assert len(told.encode()) > 8 << 20, len(told.encode())
    crew.done(work)


if __name__ == "__main__":
    harness.main(
        the_size_and_the_history_outlive_the_coordinator,
        a_kill_in_a_grow_ends_with_the_old_size_or_the_new_one,
        a_coordinator_killed_while_it_takes_over_is_replaced_again,
        what_is_damaged_meanwhile_gives_way_to_the_one_before,
        a_torn_line_is_dropped_and_said,
        a_damaged_journal_is_believed_up_to_there_and_kept,
        a_coordinator_whose_journal_another_writes_leaves_the_job_alone,
        a_job_that_was_saved_begins_a_journal_of_its_own,
        the_numbers_that_a_job_began_with_outlive_the_coordinator,
        a_coordinator_that_takes_over_is_told_other_numbers,
        a_job_that_was_suspended_is_told_another_grant,
        a_coordinator_that_is_told_to_leave_hands_the_job_over,
        a_coordinator_that_waits_for_executors_hands_over_too,
        told_twice_it_does_not_wait_for_the_checkpoint,
        the_history_is_told_while_it_runs_and_afterwards,
        the_history_is_told_as_json_too,
        the_coordinator_tells_the_history_too,
        a_long_history_is_told_to_its_end)
