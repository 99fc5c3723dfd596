#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""On which nodes of a real Kubernetes, with a real Volcano, the executors of a
job are, and on which processors.  args: BIN"""

import atexit
import json
import re

import kube  # first: it knows where harness is
import elastic
import harness
import naps

STATIC = "node3"
MORE = {2: (), 3: ("--static",)}  # nodes beside the first
EXECUTORS = "bellows.io/job=heat,bellows.io/role=executor"


def prepare(cluster):
    for number, words in MORE.items():
        cluster.add_node(number, *words)
        if not cluster.is_own:
            atexit.register(cluster.remove_node, number)
    elastic.load(cluster)


def begin(room, space, placement, *words):
    """The job on two ranks, each in a pod."""
    naps.prepare(space)
    values = {key: json.dumps(value) for key, value in naps.KEYS.items()
              if key != "environment"}
    file = room.job(naps.WORK, "heat", (2, 1, 3), naps.KEYS["environment"],
                    placement=placement, **values)
    room.run("bellows", "run", file, "--on", "kube", "--namespace", space.name,
             "--claim", "heat-data", "--detach", *words).ends_with(0)
    heat = elastic.Heat(room, space)
    heat.runs_on(2)
    return heat


def nodes(space):
    """How many executors are on each node that has some."""
    names = [pod["spec"]["nodeName"] for pod in space.all("pods", EXECUTORS)]
    return sorted(names.count(name) for name in set(names))


def are_on(room, space, profile, two, three, *words):
    """Two executors, and a third one that comes later."""
    heat = begin(room, space, f"{{profile: {profile}}}", "--cpu", elastic.CPU,
                 *words)
    assert nodes(space) == two, nodes(space)
    heat.scale(3).ends_with(0)
    assert nodes(space) == three, nodes(space)


def executors_of_a_memory_job_are_on_a_node_each(room, space):
    are_on(room, space, "memory", [1, 1], [1, 1, 1])


def executors_of_a_network_job_are_on_one_node(room, space):
    are_on(room, space, "network", [2], [3])


def without_volcano_they_are_on_a_node_each_too(room, space):
    are_on(room, space, "memory", [1, 1], [1, 1, 1], "--plain")


def processors(space, pod):
    """Those that its executor may run on, as the kernel writes them."""
    for pid in space.processes(pod):
        if "bellows-executor" in (harness.command(pid) or [""])[0]:
            return re.search(r"^Cpus_allowed_list:\s+(.*)$", harness.read(
                f"/proc/{pid}/status", "r"), re.M)[1]
    raise AssertionError(f"{pod} has no executor")


def exclusive_executors_have_processors_of_their_own(room, space):
    """One is on each node, and the kubelet of one node does that."""
    heat = begin(room, space, "{profile: cpu, exclusive: true}", "--cpu", "1",
                 "--memory", "128Mi")
    heat.scale(3).ends_with(0)
    pods = {pod["spec"]["nodeName"]: pod for pod in space.all("pods", EXECUTORS)}
    assert len(pods) == 3, pods.keys()
    classes = [pod["status"]["qosClass"] for pod in pods.values()]
    assert classes == ["Guaranteed"] * 3, classes
    own = {name: processors(space, pod["metadata"]["name"])
           for name, pod in pods.items()}
    assert own.pop(STATIC).isdecimal(), own
    assert not any(shared.isdecimal() for shared in own.values()), own
    assert "ProcessorsShared" not in space.notes(), space.notes()


if __name__ == "__main__":
    kube.main(executors_of_a_memory_job_are_on_a_node_each,
              executors_of_a_network_job_are_on_one_node,
              without_volcano_they_are_on_a_node_each_too,
              alone=(exclusive_executors_have_processors_of_their_own,),
              prepare=prepare)
