#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of a queue that share the slots of a namespace, on a real Kubernetes and
a real Volcano.  args: BIN"""

import json
import os
import signal

import kube  # first: it knows where harness is
import elastic
import harness
import job_queue
import naps

PATIENCE = 240
WORK = naps.WORK
RUN = "bellows.io/run"


class Queue(job_queue.Queue):
    """A scheduler outside of the cluster, whose jobs share one volume."""

    def __init__(self, room, space, *words, slots=4):
        self.space = space
        naps.prepare(space)
        super().__init__(room, slots, "--on", "kube", "--namespace", space.name,
                         "--claim", "heat-data", "--cpu", elastic.CPU, *words)

    def write(self, name, work=WORK, ranks=(1, 1, 4), **keys):
        values = {key: json.dumps(value) for key, value in naps.KEYS.items()
                  if key != "environment"}
        return self.room.job(work, name, ranks, naps.KEYS["environment"], **{
            "checkpoint": f"{{dir: ck-{name}, deadline: 60s}}", **values, **keys})

    def wait(self, what, test, patience=PATIENCE):
        return self.space.wait(what, lambda: test(self.jobs()), patience,
                               elastic.AGAIN)

    def kill(self):
        self.program.tell(signal.SIGKILL)
        self.program.end()

    def pod(self, name):
        """Of its coordinator."""
        found = self.space.all("pods", f"bellows.io/job={name},"
                                       "bellows.io/role=coordinator")
        assert len(found) == 1, found
        return found[0]["metadata"]

    def run(self, name):
        return self.pod(name)["labels"][RUN]

    def output(self, name):
        return self.space.logs(self.pod(name)["name"], "--tail=-1")

    def done(self, **works):
        naps.end(self.space)
        self.wait("the end of all jobs", lambda jobs: all(
            jobs[name]["state"] == "done" for name in works), 2 * PATIENCE)
        for name, work in works.items():
            assert harness.digest(self.output(name)) == work.digest(), name
        self.end()


def a_job_makes_room_and_gets_it_back(room, space):
    queue = Queue(room, space)
    queue.submit("one", WORK)
    queue.is_on(one=4)
    queue.submit("two", WORK, "--priority", "40", ranks=(2, 2, 2))
    queue.is_on(one=2, two=2)
    queue.done(one=WORK, two=WORK)


def a_parked_job_goes_on_in_place_of_its_former_run(room, space):
    queue = Queue(room, space)
    queue.submit("one", WORK, ranks=(4, 4, 4))
    queue.is_on(one=4)
    former = queue.run("one")
    queue.submit("rush", job_queue.SHORT, "--priority", "900", ranks=(2, 2, 4))
    jobs = queue.wait("rush is done", lambda jobs:
                      jobs["rush"]["state"] == "done" and jobs)
    assert jobs["one"]["parks"] == 1, jobs
    queue.is_on(one=4)
    assert queue.run("one") != former
    queue.done(one=WORK)


def a_scheduler_that_is_killed_adopts_what_runs(room, space):
    queue = Queue(room, space)
    queue.submit("one", WORK, ranks=(2, 2, 2))
    queue.is_on(one=2)
    pod = queue.pod("one")["uid"]
    queue.kill()
    # one that is made is not made again
    queue.serve()
    queue.submit("two", WORK, ranks=(2, 2, 2))
    queue.kill()
    queue.serve()
    queue.is_on(one=2, two=2)
    assert queue.pod("one")["uid"] == pod
    queue.done(one=WORK, two=WORK)


def a_job_whose_maker_is_killed_is_made_once(room, space):
    queue = Queue(room, space)
    queue.submit("one", WORK, ranks=(2, 2, 2))
    for _ in range(2):
        maker = room.wait("the program that makes it", lambda:
                          room.ours("bellows"), again=0.01)
        harness.send(maker[0], signal.SIGKILL)
        queue.wait("that it is told", lambda jobs: "its Job is not made yet"
                   in jobs["one"]["reason"])
    queue.is_on(one=2)
    queue.done(one=WORK)


def a_job_whose_coordinator_comes_back_saves_before_it_is_parked(room, space):
    queue = Queue(room, space)
    queue.submit("one", WORK, ranks=(2, 2, 2))
    queue.is_on(one=2)
    former = queue.run("one")
    for pid in space.processes(queue.pod("one")["name"]):
        # a process that ends meanwhile has no command
        if "bellows-coordinator" in (harness.command(pid) or [""])[0]:
            os.kill(pid, signal.SIGKILL)
    queue.ask("hold", "one")
    queue.wait("it has saved", lambda jobs: jobs["one"]["state"] == "held")
    assert space.get("vcjob", "one") and queue.run("one") == former
    queue.ask("release", "one")
    queue.is_on(one=2)
    queue.done(one=WORK)


def a_job_that_does_not_come_up_can_be_cancelled(room, space):
    queue = Queue(room, space, "--image", "localhost/nothing:1")
    queue.submit("one", WORK)
    queue.wait("why it does not run", lambda jobs:
               "its coordinator does not run" in jobs["one"]["reason"])
    queue.ask("cancel", "one")
    queue.wait("it is cancelled", lambda jobs:
               jobs["one"]["state"] == "cancelled")
    assert not space.get("vcjob", "one")
    queue.end()


def a_job_that_is_deleted_is_made_again(room, space):
    queue = Queue(room, space)
    queue.submit("one", WORK, ranks=(2, 2, 2))
    queue.is_on(one=2)
    former = queue.run("one")
    space.kubectl("delete", "vcjob", "one")
    queue.wait("another run", lambda jobs: jobs["one"]["state"] == "running"
               and jobs["one"]["ranks"] == 2 and queue.run("one") != former)
    queue.done(one=WORK)


if __name__ == "__main__":
    kube.main(a_job_makes_room_and_gets_it_back,
              a_parked_job_goes_on_in_place_of_its_former_run,
              a_scheduler_that_is_killed_adopts_what_runs,
              a_job_whose_maker_is_killed_is_made_once,
              a_job_whose_coordinator_comes_back_saves_before_it_is_parked,
              a_job_that_does_not_come_up_can_be_cancelled,
              a_job_that_is_deleted_is_made_again, prepare=elastic.load)
