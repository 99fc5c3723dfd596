#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs as people bring them to a real Kubernetes: GROMACS, an MPI job of
Volcano that was there before, by `bellows run`.  args: BIN"""

import json
import os
import re
import signal
import tempfile

import kube  # first: it knows where harness is
import elastic
import harness
import naps
import sshimage
import water

IMAGES = ("bellows", "bellows-parint", "bellows-gromacs")
SSH_IMAGE = "localhost/bellows-parint-ssh:dev"
# Of GROMACS; its ranks nap each ten steps, so this takes a minute on four.
STEPS = 4000
PATIENCE = elastic.PATIENCE


def load(cluster):
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        tars = elastic.make_images(folder, *IMAGES)
        cluster.load(*tars, sshimage.upon(
            tars[IMAGES.index("bellows-parint")],
            os.path.join(folder, "ssh.tar"), SSH_IMAGE,
            sshimage.files(folder)))


# ---- GROMACS ----

def begin_gromacs(room, space):
    box = water.Box.get(water.SMALL)
    space.kubectl("create", "configmap", "heat-input", "--from-file=md.tpr="
                  + box.put(room.path("md.tpr"), STEPS))
    elastic.make_secrets(space)
    naps.prepare(space)
    space.apply(elastic.overlay(space, "volcano-gromacs"))


def gromacs_grows_and_shrinks(room, space):
    water.need()
    begin_gromacs(room, space)
    heat = elastic.Heat(room, space)
    heat.runs_on(2)
    heat.scale(4).ends_with(0)
    heat.runs_on(4)
    heat.scale(2).ends_with(0)
    now = heat.runs_on(2)
    assert [(at["from"], at["to"], at["result"], at["repeated_steps"])
            for at in now["history"]] == [(2, 4, "done", 0), (4, 2, "done", 0)]
    heat.ends("Completed")
    assert heat.restarts() == 0
    water.steps_follow(naps.volume(space), STEPS)
    water.frames_are_there_once(naps.volume(space), STEPS)
    assert elastic.TOLD <= heat.events("vcjob"), heat.events("vcjob")


def paced_job(room, mpi=None, **keys):
    more = {**naps.KEYS["mpi"], **(mpi or {})}
    return room.job(elastic.WORK, mpi=json.dumps(more),
                    environment=naps.KEYS["environment"], **keys)


# ---- bellows run ----

def run(room, space, path):
    return room.start("bellows", "run", path, "--on", "kube", "--namespace",
                      space.name, "--cpu", elastic.CPU, "--no-progress")


def bellows_run_follows_a_job_to_its_end(room, space):
    at = run(room, space, room.job(elastic.SHORT))
    at.ends_with(0, PATIENCE)
    assert harness.digest(at.output) == elastic.SHORT.digest()


def ctrl_c_saves_and_the_same_command_goes_on(room, space):
    naps.prepare(space)
    path = paced_job(room)
    first = run(room, space, path)
    elastic.Heat(room, space).runs_on(2)
    first.tell(signal.SIGINT)
    first.ends_with(75, PATIENCE).says("saving, then stopping")
    naps.end(space)
    second = run(room, space, path)
    second.ends_with(0, PATIENCE).says("the former run of heat is over")
    assert harness.digest(second.output) == elastic.WORK.digest()
    steps = re.findall(r"^parint: resumed at iteration (\d+) of",
                       second.output, re.M)
    assert len(steps) == 1 and int(steps[0]) > 0, steps


# ---- an MPI job of Volcano ----

def example(name, *pairs):
    text = harness.read(os.path.join(elastic.ROOT, "k8s", "examples", name),
                        "r")
    for before, after in pairs:
        assert before in text, f"{name}: there is no {before}"
        text = text.replace(before, after)
    return text


def is_elastic(room, space, image, **keys):
    """Its image runs as root, as those of Volcano's examples do."""
    elastic.make_secrets(space)
    naps.prepare(space)
    job = paced_job(room, dir="/data", checkpoint="{dir: /data}", **keys)
    space.kubectl("create", "configmap", "heat-job", f"--from-file=job.yaml="
                  f"{job}")
    space.kubectl("apply", "--kustomize",
                  os.path.join(elastic.ROOT, "k8s", "base"))
    space.kubectl("apply", "--filename", os.path.join(
        elastic.ROOT, "k8s", "overlays", "volcano-parint", "role.yaml"))
    space.apply(example("mpi-after.yaml", (
        "image: example.org/heat:1", f"image: {image}\n"
        "          securityContext: {runAsUser: 0}")))
    space.apply(example("mpi-monitor.yaml", (
        "volcano.sh/job-namespace: heat",
        f"volcano.sh/job-namespace: {space.name}")))
    heat = elastic.Heat(room, space)
    heat.runs_on(2)
    heat.scale(3).ends_with(0)
    heat.runs_on(3)
    heat.ends("Completed")
    heat.is_well()
    return heat


def an_mpi_job_of_volcano_becomes_elastic(room, space):
    is_elastic(room, space, "localhost/bellows-parint:dev")


def its_ranks_are_reached_by_ssh_with_volcano_s_key(room, space):
    heat = is_elastic(room, space, SSH_IMAGE,
                      mpi={"launcher": "ssh", "key": "/root/.ssh/id_rsa"})
    assert "lets us in at" in heat.output(), heat.output()


if __name__ == "__main__":
    kube.main(gromacs_grows_and_shrinks,
              bellows_run_follows_a_job_to_its_end,
              ctrl_c_saves_and_the_same_command_goes_on,
              an_mpi_job_of_volcano_becomes_elastic,
              its_ranks_are_reached_by_ssh_with_volcano_s_key, prepare=load)
