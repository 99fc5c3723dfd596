#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many jobs under bellows-scheduler.  args: BIN"""

import os
import re
import signal
import socket

import certificates
import harness
import mounts
import paced
from job_queue import KEPT, SHORT, Queue

# four minutes on two ranks, or until the test lets it run to its end
LASTING = harness.Work(10007, 8000, 1, pace=3 * paced.ON_ONE_RANK)
PAGE = 4096


def queue_with_one(room, work):
    """The job `one` computes on all slots."""
    queue = Queue(room)
    queue.submit("one", work)
    queue.is_on(one=4)
    return queue


def the_commands_of_the_readme_make_a_queue(room):
    readme = harness.read(os.path.join(os.path.dirname(__file__), "..", "..",
                                       "README.md")).decode()
    section = readme.split("## Many jobs")[1].split("##")[0]
    commands = [line.split()[2:] for line in section.splitlines()
                if line.startswith("    $ bellows ")]
    assert len(commands) == 6 and commands[0][-1] == "&", commands
    queue = Queue(room, int(commands[0][2]))
    work = harness.work_for(20)
    for name in ("heat", "cold", "rush"):
        queue.write(name, work)
    for words in commands[1:]:
        queue.ask(*words)
    jobs = queue.wait("cold is held", lambda jobs:
                      jobs["cold"]["state"] == "held" and jobs)
    assert jobs["rush"]["priority"] == 40, jobs
    queue.ask("release", "cold")
    queue.finish(heat=work, cold=work, rush=work)
    queue.end()


# ---- growing and shrinking ----

def jobs_share_the_slots_and_the_last_one_has_them_all(room):
    work = LASTING
    queue = queue_with_one(room, work)
    queue.submit("two", work)
    queue.wait("both", lambda jobs: all(
        jobs[name]["state"] == "running" and jobs[name]["ranks"] > 0
        for name in ("one", "two")))
    queue.ask("cancel", "two")
    queue.is_on(one=4)
    queue.finish(one=work)
    assert queue.jobs()["two"]["state"] == "cancelled", queue.jobs()
    queue.end()


def a_scale_request_of_a_person_is_a_want_within_the_grant(room):
    work = LASTING
    queue = queue_with_one(room, work)
    room.run("bellows", "scale", "one", 2).ends_with(0)
    queue.is_on(one=2)
    queue.wait("the slots are given back",
               lambda jobs: jobs["one"]["grant"] == 2)
    queue.wait("its end is known", lambda jobs:
               jobs["one"]["steps_per_s"] and jobs["one"]["eta_sd_ms"])
    assert "the job wants fewer ranks" in queue.ask("explain", "one").output
    queue.finish(one=work)
    queue.end()


# ---- holding, and the order ----

def a_job_that_is_held_saves_and_goes_on_once_it_is_released(room):
    work = LASTING
    queue = queue_with_one(room, work)
    queue.ask("hold", "one")
    job = queue.wait("it is held", lambda jobs: jobs["one"]["state"] == "held"
                     and jobs["one"])
    assert (job["ranks"], job["grant"], job["parks"]) == (0, 0, 1), job
    assert not room.ours("parint")
    queue.ask("release", "one")
    queue.is_on(one=4)
    queue.finish(one=work)
    queue.end()


def a_job_comes_after_another_or_is_held_if_that_one_fails(room):
    work = LASTING
    queue = Queue(room)
    queue.submit("one", work)
    queue.submit("two", SHORT, "--after", "one")
    queue.submit("three", SHORT, "--after", "one", "--after", "two")
    queue.is_on(one=4)
    assert queue.jobs()["two"]["state"] == "waiting", queue.jobs()
    queue.ask("cancel", "one")
    queue.wait("two is held", lambda jobs: jobs["two"]["state"] == "held")
    assert "was cancelled" in queue.jobs()["two"]["reason"], queue.jobs()
    queue.ask("release", "two")
    queue.wait("two has ended", lambda jobs: jobs["two"]["state"] == "done")
    assert queue.jobs()["three"]["state"] == "held", queue.jobs()
    queue.ask("cancel", "three")
    queue.end()


# ---- hosts ----

def own_address():
    """One that others reach, so that calls are encrypted, if there is one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))  # no byte is sent
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def jobs_on_hosts_begin_where_least_runs(room):
    work = LASTING
    address = own_address()
    hosts = room.write("hosts", f"n1 {address}\nn2 {address}\n")
    queue = Queue(room, 4, "--hosts", hosts)
    for name in ("one", "two"):
        queue.submit(name, work, ranks=(2, 2, 2), ranks_per_executor=2)
        queue.is_on(**{name: 2})
    on = {name: [at["name"] for at in room.status(name)["members"]]
          for name in ("one", "two")}
    assert on == {"one": ["n1"], "two": ["n2"]}, on
    queue.program.tell(signal.SIGKILL)
    queue.program.end()
    queue.serve()
    queue.is_on(one=2, two=2)
    queue.ask("cancel", "one")
    queue.submit("three", work, ranks=(2, 2, 2), ranks_per_executor=2)
    queue.is_on(three=2)
    assert room.status("three")["members"][0]["name"] == "n1"
    queue.finish(two=work, three=work)
    queue.end()


def hosts_without_a_number_of_slots_are_refused(room):
    room.stale = KEPT
    room.run("bellows", "serve", "--hosts", "h").ends_with(64).says(
        "--slots N says how many ranks run there")
    room.run("bellows", "serve", "--hosts", room.write("h", "n1\n"),
             "--slots", 2).ends_with(65).says("h:1: there is no address")


# ---- what goes away ----

def a_scheduler_that_is_killed_adopts_what_runs(room):
    work = LASTING

    def ranks():
        found = sorted(room.ours("parint"))
        return found if len(found) == 4 else None

    queue = Queue(room)
    queue.submit("one", work)
    queue.submit("two", work, "--hold")
    queue.is_on(one=4)
    before = room.wait("all ranks", ranks)
    queue.program.tell(signal.SIGKILL)
    queue.program.end()
    queue.serve()
    jobs = queue.is_on(one=4) and queue.jobs()
    assert jobs["two"]["state"] == "held", jobs
    assert jobs["one"]["rescales"] == 0, jobs
    assert ranks() == before
    queue.ask("cancel", "two")
    queue.finish(one=work)
    queue.end()


def a_job_that_ended_while_no_scheduler_ran_is_not_run_again(room):
    work = LASTING
    queue = queue_with_one(room, work)
    queue.end()
    room.pace(0)
    room.wait("its end", lambda: not room.ours("bellows"))
    queue.serve()
    queue.wait("it is done", lambda jobs: jobs["one"]["state"] == "done")
    assert harness.digest(queue.output("one")) == work.digest()
    queue.end()


def a_job_whose_programs_are_killed_goes_on_from_its_checkpoint(room):
    work = LASTING
    queue = queue_with_one(room, work)
    run = [pid for pid in room.ours("bellows")
           if "run" in harness.command(pid)]
    assert len(run) == 1, run
    harness.send(run[0], signal.SIGKILL)
    queue.wait("another run", lambda jobs: [
        pid for pid in room.ours("bellows")
        if "run" in harness.command(pid) and pid not in run])
    queue.is_on(one=4)
    queue.finish(one=work)
    queue.end()


def slots_are_free_once_the_coordinator_that_had_them_is_gone(room):
    work = harness.lasting_work()
    queue = queue_with_one(room, work)
    coordinator = room.the("bellows-coordinator")
    harness.send(coordinator, signal.SIGSTOP)
    run = [pid for pid in room.ours("bellows")
           if "run" in harness.command(pid)]
    harness.send(run[0], signal.SIGKILL)
    queue.submit("two", SHORT)
    room.moment(1, lambda: queue.jobs()["one"]["state"] == "failed")
    assert queue.jobs()["two"]["ranks"] == 0, queue.jobs()
    harness.send(coordinator, signal.SIGCONT)
    queue.finish(one=work, two=SHORT)
    queue.end()


def fill_the_journal(room, queue):
    """Until the file system has to give it room for the next line.  The job
    `one` is in the queue."""
    journal = room.path("state", "_queue", "journal")
    before = os.path.getsize(journal)
    for priority in range(100, 200):
        queue.ask("priority", "one", priority)
        now = os.path.getsize(journal)
        if -now % PAGE < now - before:
            return
        before = now


def nothing_starts_that_is_not_on_the_disk(room):
    os.mkdir(room.path("state", "_queue"), 0o700)
    with mounts.mounted(room.path("state", "_queue"), "size=4m,mode=700"):
        queue = Queue(room)
        queue.submit("one", SHORT, "--hold")
        fill_the_journal(room, queue)
        with mounts.full(room.path("state", "_queue")):
            at = room.run("bellows", "release", "one")
            assert at.end() != 0 and "No space left" in at.errors, at.errors
            queue.wait("its start", lambda jobs: jobs["one"]["state"]
                       == "starting")
            assert "No space left" in queue.jobs()["one"]["reason"]
            assert "No space left" in queue.ask("queue").output
            queue.program.tell(signal.SIGKILL)
            queue.program.end()
        assert not room.ours(), [harness.command(pid) for pid in room.ours()]
        queue.serve()
        assert queue.jobs()["one"]["state"] == "held", queue.jobs()
        queue.ask("release", "one")
        queue.finish(one=SHORT)
        queue.end()


# ---- who may ask ----

def callers_of_a_port_need_its_token(room):
    token = room.write("token", "0123456789abcdef" * 4 + "\n")
    os.chmod(token, 0o600)
    queue = Queue(room, 4, "--listen", "127.0.0.1:0", "--token-file", token,
                  access=["--token-file", token])
    queue.submit("one")
    at = room.run("bellows", "queue")
    assert at.end() != 0 and "token" in at.errors, at.errors
    queue.finish(one=SHORT)
    queue.end()


def callers_of_an_encrypted_port_need_a_certificate(room):
    keys = certificates.make_keys(room)
    queue = Queue(room, 4, "--listen", "127.0.0.1:0", "--tls",
                  os.path.join(keys, "coordinator"),
                  access=["--tls", os.path.join(keys, "client")])
    queue.submit("one")
    assert room.run("bellows", "queue").end() != 0
    at = room.run("bellows", "queue", "--tls", os.path.join(keys, "monitor"))
    assert at.end() != 0 and "client" in at.errors, at.errors
    queue.finish(one=SHORT)
    queue.end()


# ---- what is refused ----

def what_could_never_run_is_refused_when_it_is_submitted(room):
    work = LASTING
    queue = Queue(room)
    queue.submit("one", work)
    for name, words, code, sentence in (
            ("wide", {"ranks": (8, 6, 8)}, 65, "needs at least 6 slots"),
            ("one", {}, 65, "the queue has a job of the name one"),
    ):
        at = room.run("bellows", "submit", queue.write(name, work, **words))
        assert at.end() != 0 and sentence in at.errors, at.errors
        assert code
    two = queue.write("two", SHORT)
    for words, sentence in (
            (["--after", "two"], "cannot come after itself"),
            (["--after", "nine"], "the queue has no job nine"),
            (["--priority", "0"], "priority"),
            (["--priority", "1001"], "priority")):
        at = room.run("bellows", "submit", two, *words)
        assert at.end() != 0 and sentence in at.errors, at.errors
    assert list(queue.jobs()) == ["one"], queue.jobs()
    queue.ask("cancel", "one")
    queue.end()


def a_job_file_may_change_once_it_is_submitted(room):
    work = LASTING
    queue = Queue(room, 2)
    queue.submit("one", work, ranks=(2, 2, 2))
    queue.is_on(one=2)
    path = queue.write("two", SHORT)
    room.run("bellows", "submit", path).ends_with(0)
    os.unlink(path)
    queue.ask("cancel", "one")
    queue.finish(two=SHORT)
    queue.end()


KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c, user: c, namespace: physics}}]
users: [{name: c, user: {token: abc}}]
current-context: c
"""


def a_cluster_that_does_not_answer_is_asked_again(room):
    queue = Queue(room, 4, "--on", "kube", "--kubeconfig",
                  room.write("kubeconfig", KUBECONFIG))
    queue.ask("submit", queue.write("far", checkpoint="{dir: /far}"),
              code=65).says("/far is not below /data")
    queue.ask("submit", queue.write("own", placement="{exclusive: true}"),
              code=65).says("bellows-scheduler: --memory: placement.exclusive "
                            "needs the memory of an executor")
    queue.submit("one")
    for _ in range(2):
        queue.wait("that it is not made", lambda jobs: "its Job is not made yet"
                   in jobs["one"]["reason"])
        assert queue.jobs()["one"]["grant"] == 4
        queue.end()
        queue.serve()
    queue.end()
    room.run("bellows-scheduler").ends_with(64).says(
        "start with --on kube --namespace physics, or with another --state")
    room.wait("the end of what would have made it",
              lambda: not room.ours("bellows"))


def a_place_is_one_place(room):
    for words, says in (
            (["--on", "moon"], "--on: 'moon' is no place that jobs can be in"),
            (["--on", "kube"], "--on kube: --slots N says how many ranks run"),
            (["--on", "kube", "--hosts", "h"],
             "--hosts does not go with --on kube"),
            (["--image", "i"], "--image needs --on kube"),
            (["--on", "kube", "--slots", 4, "--cpu", "much"],
             "--cpu: 'much' is no quantity")):
        room.run("bellows-scheduler", *words).ends_with(64).says(says)


def a_second_scheduler_of_the_same_queue_is_refused(room):
    queue = Queue(room)
    room.run("bellows", "serve").ends_with(71).says(
        "another scheduler (process", "has the queue in")
    queue.end()


def a_policy_that_does_not_exist_is_refused(room):
    room.run("bellows-scheduler", "--policy", "elastik").ends_with(64).says(
        "--policy elastik: one of elastic, moldable,")


def a_port_without_a_token_is_refused(room):
    room.stale = KEPT
    room.run("bellows-scheduler", "--listen", "127.0.0.1:0").ends_with(64).says(
        "is open to everybody on this machine")
    room.run("bellows-scheduler", "--listen", "0.0.0.0:0").ends_with(64).says(
        "is reached from other machines")


# ---- all of it at once ----

def jobs_are_all_done_once_whatever_is_killed(room):
    dice = harness.dice()
    queue = Queue(room, 4)
    room.stale = re.compile("|".join((
        KEPT.pattern, harness.KILLED.pattern, r"address\.\d+\.new")))
    n, kills = harness.some((40, 50), (4, 5))
    work = harness.work_for(3)
    names = [f"job-{i}" for i in range(n)]
    for name in names:
        queue.submit(name, work)
    for _ in range(kills):
        queue.wait("one runs", lambda jobs: any(
            job["state"] == "running" for job in jobs.values())
            or all(job["state"] == "done" for job in jobs.values()))
        program = dice.choice(["bellows-scheduler", "bellows-coordinator",
                               "bellows-executor", "bellows"])
        found = room.ours(program)
        if found:
            harness.send(dice.choice(found), signal.SIGKILL)
        if program == "bellows-scheduler":
            queue.program.end()
            queue.serve()
    queue.finish(True, **{name: work for name in names})
    queue.end()


if __name__ == "__main__":
    harness.main(
        the_commands_of_the_readme_make_a_queue,
        jobs_share_the_slots_and_the_last_one_has_them_all,
        a_scale_request_of_a_person_is_a_want_within_the_grant,
        a_job_that_is_held_saves_and_goes_on_once_it_is_released,
        a_job_comes_after_another_or_is_held_if_that_one_fails,
        jobs_on_hosts_begin_where_least_runs,
        hosts_without_a_number_of_slots_are_refused,
        a_scheduler_that_is_killed_adopts_what_runs,
        a_job_that_ended_while_no_scheduler_ran_is_not_run_again,
        a_job_whose_programs_are_killed_goes_on_from_its_checkpoint,
        slots_are_free_once_the_coordinator_that_had_them_is_gone,
        nothing_starts_that_is_not_on_the_disk,
        callers_of_a_port_need_its_token,
        callers_of_an_encrypted_port_need_a_certificate,
        what_could_never_run_is_refused_when_it_is_submitted,
        a_job_file_may_change_once_it_is_submitted,
        a_cluster_that_does_not_answer_is_asked_again,
        a_place_is_one_place,
        a_second_scheduler_of_the_same_queue_is_refused,
        a_policy_that_does_not_exist_is_refused,
        a_port_without_a_token_is_refused,
        jobs_are_all_done_once_whatever_is_killed,
        side_by_side=3)
