#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cluster that other tests stand on, itself.  args: BIN"""

import glob
import json
import os
import re
import subprocess
import tempfile

import kube  # first: it knows where harness is
import harness
import image
from control import BRIDGE
import place

TOOLS = "localhost/bellows-tools:1"
KEPT = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic",
        "kernel/panic_on_oops", "kernel/keys/root_maxkeys",
        "kernel/keys/root_maxbytes", "net/ipv4/ip_forward")
PLACES = ("/var/lib/kubelet", "/var/lib/cni", "/run/containerd", "/run/netns",
          "/var/log/pods", "/var/log/containers", "/opt/containerd")


def container(*words, **more):
    return {"name": "c", "image": TOOLS, "command": words,
            "resources": {"requests": {"cpu": "10m", "memory": "8Mi"}}, **more}


def pod(name, *words, **spec):
    return json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"terminationGracePeriodSeconds": 1, "restartPolicy": "Never",
                 "containers": [container(*words)], **spec}})


def task(name, *words, **more):
    return {"name": name, "replicas": 1, **more, "template": {"spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
        "containers": [container(*words)]}}}


def machine():
    """What a cluster must leave as it was."""
    ours = re.compile(f"{place.ROOT}|kubelet|containerd|/cni|kubepods")
    return {
        "links": sorted(os.listdir("/sys/class/net")),
        "kernel": {name: harness.read(f"/proc/sys/{name}", "r")
                   for name in KEPT},
        "places": [path for path in PLACES if os.path.exists(path)],
        "mounts": ours.findall(harness.read("/proc/self/mounts", "r")),
        "cgroups": [path for path in glob.glob("/sys/fs/cgroup/*/*/")
                    + glob.glob("/sys/fs/cgroup/*/")
                    if re.search("/(kubepods|k8s.io|node1)", path)]}


BEFORE = machine()
os.environ.pop("BELLOWS_CLUSTER", None)  # one of its own, to see it go


def a_pod_runs_and_says_so(_room, space):
    space.apply(pod("p", "sh", "-c", "echo here; exec sleep 1000"))
    space.runs("p")
    assert space.logs("p") == "here\n"
    out = space.kubectl("exec", "p", "--", "getent", "hosts",
                        "kubernetes.default.svc.cluster.local")
    assert out.split()[0] == "10.96.0.1", out


def a_volcano_job_of_two_tasks_runs_and_completes(_room, space):
    """It does once the workers have found the master, by the name that
    Volcano gives it."""
    find = "until getent hosts $VC_MASTER_HOSTS; do sleep 0.1; done"
    space.apply(json.dumps({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
        "metadata": {"name": "two"},
        "spec": {"minAvailable": 3, "schedulerName": "volcano",
                 "queue": "default", "plugins": {"svc": []},
                 "tasks": [
                     task("master", "sleep", "1000"),
                     task("worker", "sh", "-c", find, replicas=2,
                          policies=[{"event": "TaskCompleted",
                                     "action": "CompleteJob"}])]}}))

    def phase():
        return space.get("vcjob", "two").get("status", {}).get(
            "state", {}).get("phase")
    space.wait("the job is over", lambda: phase() in ("Completed", "Failed",
                                                      "Aborted"))
    assert phase() == "Completed", phase()


def a_job_that_volcano_refuses_is_refused_at_once(_room, space):
    job = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
           "metadata": {"name": "wrong"},
           "spec": {"minAvailable": 5, "schedulerName": "volcano",
                    "tasks": [task("only", "true")]}}
    at = subprocess.run(
        [*space.cluster.words(), "kubectl", "-n", space.name, "apply", "-f",
         "-"], input=json.dumps(job), capture_output=True, text=True,
        timeout=kube.PATIENCE, check=False)
    assert at.returncode != 0 and "minAvailable" in at.stderr, at.stderr


def a_claim_gets_a_folder_that_anybody_may_write(_room, space):
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
             "metadata": {"name": "data"},
             "spec": {"accessModes": ["ReadWriteMany"],
                      "resources": {"requests": {"storage": "1Gi"}}}}
    spec = json.loads(pod("w", "sh", "-c", "echo kept >/data/file"))
    spec["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {
        "claimName": "data"}}]
    spec["spec"]["securityContext"] = {"runAsUser": 10001}
    spec["spec"]["containers"][0]["volumeMounts"] = [
        {"name": "data", "mountPath": "/data"}]
    space.apply(json.dumps(claim))
    space.apply(json.dumps(spec))
    space.wait("the pod has ended", lambda:
               space.pod("w").get("phase") == "Succeeded")
    volume = space.get("pvc", "data")["spec"]["volumeName"]
    assert harness.read(space.cluster.place.path(
        "volumes", volume, "file")) == b"kept\n"


def a_second_node_joins_runs_a_pod_and_leaves(_room, space):
    space.cluster.add_node(2)
    try:
        space.apply(pod("far", "sleep", "1000", nodeName="node2"))
        space.runs("far")
        address = space.pod("far")["podIP"]
        assert address.startswith("10.244.2."), address
    finally:
        space.cluster.remove_node(2)
    space.wait("node2 has left", lambda: space.cluster.kubectl(
        "get", "nodes", "--output=name").split() == ["node/node1"])
    space.wait("its pods have, too", lambda: not space.pods())


def a_stopped_api_server_comes_back_with_what_it_knew(_room, space):
    space.apply(pod("p", "sleep", "1000"))
    space.runs("p")
    server = space.cluster.part("kube-apiserver")
    server.stop()
    assert space.cluster.kubectl("get", "nodes", check=False) == ""
    server.start()
    space.wait("it answers", server.is_ready)
    assert space.pods(phase="Running") == ["p"]


def helm_and_kubectl_are_of_the_version_of_the_server(_room, space):
    def run(*words):
        return subprocess.run(
            [*space.cluster.words(), *words], check=True, text=True,
            stdin=subprocess.DEVNULL, capture_output=True,
            timeout=kube.PATIENCE).stdout
    told = json.loads(run("kubectl", "version", "--output=json"))
    server = told["serverVersion"]["gitVersion"]
    assert told["clientVersion"]["gitVersion"] == server
    assert run("helm", "list", "--output=json").strip() == "[]"


def a_room_s_programs_are_in_the_cluster_s_network(room, space):
    node = room.run("/usr/bin/env", "kubectl", "get", "nodes",
                    "--output=name")
    assert node.ends_with(0).output == "node/node1\n"
    assert " 10.244.0.1/16 " in room.run("/usr/bin/env", "ip", "-o", "address",
                                      "show", "dev", BRIDGE).output
    assert space.pods() == []


def the_bridge_keeps_its_address_when_nodes_join(room, _space):
    def ip(*words):
        return room.run("/usr/bin/env", "ip", *words).ends_with(0).output

    def link():
        return json.loads(ip("-json", "link", "show", BRIDGE))[0]["address"]
    before = link()
    ip("link", "add", "low", "address", "02:00:00:00:00:01", "type", "veth",
       "peer", "name", "far")
    try:
        ip("link", "set", "low", "master", BRIDGE)
        assert link() == before, (link(), before)
    finally:
        ip("link", "delete", "low")


# ---- without the cluster ----

def nothing_of_it_is_left(_room):
    assert machine() == BEFORE, (machine(), BEFORE)


def of_one_killed_half_way_nothing_is_left_either(room):
    name = f"half-{os.getpid()}"
    at = kube.Cluster(name)
    up = subprocess.Popen([f"{kube.HERE}/up", "--bed", name, "--owner",
                           str(os.getpid())], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    try:
        room.wait("a kubelet", lambda: at.part("kubelet").pid())
        up.kill()
        up.wait()
        assert at.left()
    finally:
        up.kill()
        up.wait()
        at.obey("down")
    assert not at.left(), at.left()
    assert machine() == BEFORE, (machine(), BEFORE)


def a_bed_whose_owner_is_dead_is_removed(room):
    at = kube.Cluster(f"dead-{os.getpid()}")
    owner = subprocess.Popen(["sleep", "1000"])
    try:
        os.makedirs(at.place.folder)
        at.place.own(owner.pid)
        held = subprocess.Popen(
            ["unshare", "--fork", "--kill-child", "--pid", "--net", "sleep",
             "1000"], env=dict(os.environ, **{place.MARK: at.name}))
        room.wait("its first process", at.place.first)
        assert at.name not in place.sweep() and at.place.first()
    finally:
        owner.kill()
        owner.wait()
    assert at.name in place.sweep()
    held.wait()
    assert not at.left(), at.left()


def prepare(cluster):
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        cluster.load(image.write(
            os.path.join(folder, "tools.tar"), TOOLS, image.with_libraries(
                "/bin/sh", "/bin/sleep", "/usr/bin/getent"), None))


kube.main(
    a_pod_runs_and_says_so,
    a_volcano_job_of_two_tasks_runs_and_completes,
    a_job_that_volcano_refuses_is_refused_at_once,
    a_claim_gets_a_folder_that_anybody_may_write,
    helm_and_kubectl_are_of_the_version_of_the_server,
    a_room_s_programs_are_in_the_cluster_s_network,
    alone=(the_bridge_keeps_its_address_when_nodes_join,
           a_second_node_joins_runs_a_pod_and_leaves,
           a_stopped_api_server_comes_back_with_what_it_knew),
    prepare=prepare,
    then=(nothing_of_it_is_left,
          of_one_killed_half_way_nothing_is_left_either,
          a_bed_whose_owner_is_dead_is_removed))
