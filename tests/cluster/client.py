#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Kubernetes client, on a real API server.  args: BIN

kubetool stands beside the folder BIN.
"""

import json
import os
import queue
import subprocess
import threading

import kube  # first: it knows where harness is
import harness

TOOL = os.path.join(harness.BIN, "..", "kubetool")
PATIENCE = 60
MANY = 1000


def object_of(kind, name, **more):
    return json.dumps({"apiVersion": "v1", "kind": kind,
                       "metadata": {"name": name}, **more})


def pod(name, image="localhost/nothing:1"):
    # nobody places it: this scheduler is not there
    return object_of("Pod", name, spec={
        "schedulerName": "nobody", "containers": [
            {"name": "c", "image": image,
             "env": [{"name": f"E{i}", "value": "v" * 20} for i in range(8)]}]})


def start(room, space, *words, config=()):
    return subprocess.Popen(
        [*room.prefix, TOOL, *config, "--namespace", space.name, *words],
        env=room.env, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)


def ask(room, space, *words, **more):
    """r, the sentence and the object."""
    out, _ = start(room, space, *words, **more).communicate(timeout=PATIENCE)
    first, _, rest = out.partition("\n")
    r, _, text = first.split(" ", 2)
    return int(r), text, json.loads(rest) if rest else None


class Watch:
    def __init__(self, room, space, *words):
        self.tool = start(room, space, "watch", *words)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.tool.stdout:
            self.lines.put(line.split())

    def until(self, kind, name=None):
        """The lines up to the first of that kind and name."""
        lines = []
        while not lines or lines[-1][0] != kind or \
                (name and lines[-1][1] != name):
            lines.append(self.lines.get(timeout=PATIENCE))
        return lines

    def memory(self):
        """MiB, of the program that the prefix has become."""
        status = harness.read(f"/proc/{self.tool.pid}/status", "r")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tool.stdin.close()
        assert self.tool.wait(PATIENCE) == 0


def an_object_is_made_read_changed_and_deleted(room, space):
    made = object_of("ConfigMap", "a", data={"x": "1"})
    r, _, one = ask(room, space, "create", "configmaps", made)
    assert r == 0 and one["data"] == {"x": "1"}
    assert ask(room, space, "create", "configmaps", made)[:2] == (
        -17, f"create configmaps a in namespace {space.name}: one of this name "
        "is there")
    r, _, two = ask(room, space, "patch", "configmaps", "a",
                    '{"data":{"x":null,"y":"2"}}')
    assert r == 0 and two["data"] == {"y": "2"}
    assert ask(room, space, "patch", "configmaps", "a", json.dumps(
        {"metadata": {"resourceVersion": one["metadata"]["resourceVersion"]},
         "data": {}}))[0] == -11
    assert ask(room, space, "get", "configmaps", "a")[2] == two
    assert ask(room, space, "delete", "configmaps", "a", "another")[0] == -11
    assert ask(room, space, "delete", "configmaps", "a",
               two["metadata"]["uid"])[0] == 0
    assert ask(room, space, "get", "configmaps", "a")[:2] == (
        -2, f"get configmaps a in namespace {space.name}: there is none")


def refusals_are_told_apart(room, space):
    space.kubectl("create", "quota", "q", "--hard=pods=1,services=0")
    space.wait("the quota counts", lambda: space.get("quota", "q").get(
        "status", {}).get("hard"))
    assert ask(room, space, "create", "pods", pod("a"))[0] == 0
    r, text, _ = ask(room, space, "create", "pods", pod("b"))
    assert r == -122 and "exceeded quota: q, requested: pods=1" in text, text
    r, text, _ = ask(room, space, "create", "pods", pod("Not_A_Name"))
    assert r == -22 and "the API refuses it" in text, text
    space.kubectl("label", "namespace", space.name,
                  "pod-security.kubernetes.io/enforce=restricted")
    space.kubectl("delete", "quota", "q")
    r, text, _ = ask(room, space, "create", "pods", pod("c"))
    assert r == -22 and "violates PodSecurity" in text, text


def a_service_account_hears_which_verb_it_lacks(room, space):
    space.kubectl("create", "serviceaccount", "m")
    token = space.kubectl("create", "token", "m").strip()
    text = space.kubectl("config", "view", "--raw", "--output=json")
    config = json.loads(text)
    for user in config["users"]:
        user["user"] = {"token": token}
    path = room.path("config")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    r, text, _ = ask(room, space, "create", "pods", pod("a"),
                     config=["--kubeconfig", path])
    assert (r, text) == (
        -13, f"create pods a in namespace {space.name}: forbidden for system:"
        f'serviceaccount:{space.name}:m; its role needs the verb "create" on '
        '"pods"'), text


def an_event_is_shown_by_describe(room, space):
    assert ask(room, space, "create", "pods", pod("a"))[0] == 0
    assert ask(room, space, "tell", "pods", "a", "ScaleRequested",
               "from 2 to 4")[0] == 0
    shown = space.kubectl("describe", "pod", "a")
    assert "ScaleRequested" in shown and "from 2 to 4" in shown, shown


def a_watch_outlives_the_api_server(room, space):
    server = space.cluster.part("kube-apiserver")
    assert ask(room, space, "create", "pods", pod("a"))[0] == 0
    with Watch(room, space, "pods") as watch:
        assert [at[0] for at in watch.until("listed")] == ["there", "listed"]
        server.stop()
        watch.until("trouble")
        server.start()
        space.wait("the API is back", server.is_ready)
        assert ask(room, space, "delete", "pods", "a")[0] == 0
        watch.until("gone", "a")


def a_thousand_pods_are_watched_by_one_program(room, space):
    begun = harness.time.monotonic()
    with Watch(room, space, "pods", "labelSelector=many%3Dyes") as watch:
        watch.until("listed")
        nothing = watch.memory()
        text = "\n---\n".join(
            pod(f"p-{i}").replace('"metadata": {',
                                  '"metadata": {"labels": {"many": "yes"}, ')
            for i in range(MANY))
        space.kubectl("create", "-f", "-", text=text)
        names = set()
        while len(names) < MANY:
            names.add(watch.until("there")[-1][1])
        watched = watch.memory()
    took = harness.time.monotonic() - begun
    with Watch(room, space, "pods", "labelSelector=many%3Dyes") as watch:
        assert len(watch.until("listed")) == MANY + 1
        listed = watch.memory()
    print(f"# {MANY} pods in {took:.1f} s; peak memory {nothing:.1f} MiB of "
          f"none, {watched:.1f} of events, {listed:.1f} of a list")
    assert listed < 32 or b"__asan_init" in harness.read(TOOL)
    space.kubectl("delete", "pods", "--all", "--force", "--grace-period=0",
                  "--wait=false")


if __name__ == "__main__":
    kube.main(an_object_is_made_read_changed_and_deleted,
              refusals_are_told_apart,
              a_service_account_hears_which_verb_it_lacks,
              an_event_is_shown_by_describe,
              alone=(a_watch_outlives_the_api_server,
                     a_thousand_pods_are_watched_by_one_program))
