#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Releases of the Helm chart on a real Kubernetes and a real Volcano, to their
end and to what is left then.  args: BIN"""

import contextlib
import json
import os
import shutil

import kube  # first: it knows where harness is
import elastic
import manifests
import naps

PATIENCE = elastic.PATIENCE
# What each namespace has.
GIVEN = {"ConfigMap/kube-root-ca.crt", "ServiceAccount/default"}
CLAIM = "PersistentVolumeClaim/heat-data"
LONG = {"command": ["parint", *map(str, elastic.WORK.words)], **naps.KEYS}


def things(space):
    """All that is in the namespace; Events go by themselves."""
    kinds = [kind for kind in space.kubectl(
        "api-resources", "--namespaced", "--verbs=list,delete",
        "--output=name").split() if not kind.startswith("events")]
    found = json.loads(space.kubectl("get", ",".join(kinds),
                                     "--output=json"))["items"]
    return {f"{at['kind']}/{at['metadata']['name']}" for at in found} - GIVEN


def is_left(space, *names):
    """Waits until the namespace has these things only; none may be missing."""
    left = things(space)
    while left > set(names):
        left = space.wait("less is left than " + " ".join(sorted(left)),
                          lambda before=left: (now := things(space)) != before
                          and now, PATIENCE)
    assert left == set(names), left


def install(room, space, job, *pairs):
    values = room.write("values.yaml", json.dumps({
        "job": job, "resources": {"executor": {"requests": {
            "cpu": elastic.CPU}}}}))
    manifests.helm(space, "install", "heat", manifests.CHART, "--values",
                   values, *manifests.sets(pairs))


def a_release_of_the_chart_leaves_nothing_but_the_claim(room, space):
    install(room, space, {
        "command": ["parint", *map(str, elastic.SHORT.words)]})
    heat = elastic.Heat(room, space)
    heat.ends("Completed")
    heat.is_well(elastic.SHORT)
    manifests.helm(space, "uninstall", "heat")
    is_left(space, CLAIM)


@contextlib.contextmanager
def folder_of_a_node(space):
    """As docs/kubernetes.md has it made; it is where naps looks for the volume
    of the claim."""
    path = space.cluster.place.path("volumes", f"{space.name}-heat-data")
    os.mkdir(path)
    try:
        os.chown(path, 10001, 10001)
        os.chmod(path, 0o770)
        naps.furnish(path)
        yield path
    finally:
        shutil.rmtree(path)


def a_release_grows_by_replicas_on_a_folder_of_its_node(room, space):
    with folder_of_a_node(space) as folder:
        install(room, space, LONG, "mode=replicas",
                f"storage.hostPath={folder}")
        heat = elastic.Heat(room, space)
        heat.runs_on(2)
        heat.scale(3).ends_with(0)
        assert heat.runs_on(3)["history"][-1]["repeated_steps"] == 0
        worker = space.get("vcjob", "heat")["spec"]["tasks"][1]
        assert (worker["name"], worker["replicas"]) == ("worker", 3), worker
        heat.ends("Completed")
        heat.is_well()
        manifests.helm(space, "uninstall", "heat")
        is_left(space, CLAIM)
        volume = f"/api/v1/persistentvolumes/{space.name}-heat-data"
        assert space.cluster.api.read(volume), "it went before its claim"
        space.kubectl("delete", "pvc", "heat-data")
        space.wait("the volume goes with the claim", lambda:
                   space.cluster.api.read(volume) is None)
        assert [name for name in os.listdir(folder) if name != "pace"], \
            "the checkpoints went with the volume"


def a_release_without_a_monitor_grows_by_one_outside(room, space):
    naps.prepare(space)
    install(room, space, LONG, "monitor.inside=false",
            "storage.existingClaim=heat-data")
    heat = elastic.Heat(room, space)
    with elastic.monitored(room, space) as monitor:
        heat.runs_on(2)
        heat.scale(3).ends_with(0)
        heat.runs_on(3)
        assert not space.pods("bellows.io/role=monitor")
        heat.ask("cancel", "heat").ends_with(0, PATIENCE)
        monitor.ends_with(0, PATIENCE)
    manifests.helm(space, "uninstall", "heat")
    is_left(space, CLAIM)


if __name__ == "__main__":
    kube.main(a_release_of_the_chart_leaves_nothing_but_the_claim,
              a_release_grows_by_replicas_on_a_folder_of_its_node,
              a_release_without_a_monitor_grows_by_one_outside,
              prepare=elastic.load)
