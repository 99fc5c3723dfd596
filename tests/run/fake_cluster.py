# SPDX-License-Identifier: Apache-2.0
"""An API server with pods that are executors, processes of this machine

Just so much of one as the monitor asks for: objects with versions and uids,
lists, watches, selectors of labels, merge patches of a Volcano Job, whose task
is kept as its controller would keep it.
"""

import json
import os
import signal
import threading
import urllib.parse

from fake_kube import Api, answer, event, silent, status

POD = "/api/v1/namespaces/lab/pods"
VCJOB = "/apis/batch.volcano.sh/v1alpha1/namespaces/lab/jobs/heat"
LABELS = {"bellows.io/job": "heat", "bellows.io/role": "executor"}


def vcjob(replicas, floor, policies=()):
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
        "metadata": {"name": "heat", "namespace": "lab", "uid": "job-1"},
        "spec": {"queue": "default", "schedulerName": "volcano",
                 "minAvailable": 1 + floor, "policies": list(policies),
                 "tasks": [
                     {"name": "master", "replicas": 1, "template": {
                         "spec": {"containers": [{"name": "c"}]}}},
                     {"name": "worker", "replicas": replicas,
                      "minAvailable": floor, "template": {
                          "metadata": {"labels": LABELS},
                          "spec": {"containers": [{"name": "executor",
                                                   "image": "img"}]}}}]}}


def selected(labels, selector):
    return all(labels.get(name) == value for name, _, value in
               (term.partition("=") for term in selector.split(",") if term))


class Cluster(Api):
    """room: of the executors; address: of their coordinator."""

    def __init__(self, keys, room, address, job):
        self.room, self.address = room, address
        self.changed = threading.Condition(threading.RLock())
        self.version = 100
        self.pods, self.programs = {}, {}
        self.events = []  # (version, type, pod)
        self.made = []    # names of pods, each time one is made
        self.refusal = None  # of creations: what is sent
        self.away = False
        self.held = None  # the pod whose removal gets no answer
        self.qos = "BestEffort"  # as of pods without requests
        self.spec = {}    # what pods that are made have in their status
        self.job = self.stamp(job)
        super().__init__(keys)
        with self.changed:
            self.keep_task()

    def stamp(self, thing):
        self.version += 1
        thing["metadata"]["resourceVersion"] = str(self.version)
        return thing

    def say(self, kind, pod):
        self.stamp(pod)
        self.events.append((self.version, kind, json.loads(json.dumps(pod))))
        self.changed.notify_all()

    # -- pods

    def keep_task(self):
        task = self.job["spec"]["tasks"][1]
        for i in range(task["replicas"]):
            if f"heat-worker-{i}" not in self.pods:
                self.add({"metadata": {"name": f"heat-worker-{i}",
                                       "labels": LABELS}})
        for name in list(self.pods):
            prefix, _, number = name.rpartition("-")
            if prefix == "heat-worker" and int(number) >= task["replicas"]:
                self.remove(name)

    def add(self, pod):
        name = pod["metadata"]["name"]
        pod["metadata"].update(namespace="lab", uid=f"pod-{self.version}")
        pod["status"] = {"phase": "Pending", "qosClass": self.qos,
                         **self.spec}
        self.pods[name] = pod
        self.made.append(name)
        self.say("ADDED", pod)
        if not self.spec:
            self.begin(pod)

    def begin(self, pod):
        name = pod["metadata"]["name"]
        tmp = self.room.path(f"t-{name}-{self.version}")
        os.mkdir(tmp)
        program = self.room.start("bellows-executor", "--coordinator",
                                  self.address, "--name", name, "--tmpdir",
                                  tmp)
        self.programs[name] = program
        pod["status"]["phase"] = "Running"
        self.say("MODIFIED", pod)
        threading.Thread(target=self.wait_for_end, args=(pod, program),
                         daemon=True).start()

    def wait_for_end(self, pod, program):
        code = program.process.wait()
        with self.changed:
            if self.pods.get(pod["metadata"]["name"]) is not pod:
                return
            pod["status"] = {
                "phase": "Failed" if code else "Succeeded",
                "containerStatuses": [{"state": {"terminated": {
                    "exitCode": code % 256}}}]}
            self.say("MODIFIED", pod)

    def remove(self, name):
        pod = self.pods.pop(name)
        program = self.programs.pop(name, None)
        if program and not program.is_over():
            program.tell(signal.SIGTERM)
        self.say("DELETED", pod)

    def removals(self, name):
        with self.changed:
            return [at for at in self.requests if at["method"] == "DELETE"
                    and at["path"] == f"{POD}/{name}"]

    def phases(self):
        with self.changed:
            return {name: pod["status"]["phase"]
                    for name, pod in sorted(self.pods.items())}

    # -- requests

    def take(self, request):
        with self.changed:
            self.requests.append(request)
            if self.away:
                return close
            return self.route(request)

    def route(self, request):
        url = urllib.parse.urlsplit(request["path"])
        query = dict(urllib.parse.parse_qsl(url.query))
        body = json.loads(request["body"]) if request["body"] else {}
        if url.path == VCJOB:
            return (self.patch(body) if request["method"] == "PATCH"
                    else answer(200, self.job))
        if url.path == POD:
            if request["method"] == "POST":
                return self.create(body)
            return self.watch(query) if "watch" in query else self.list(query)
        if url.path.startswith(POD + "/"):
            return self.one(request["method"], url.path[len(POD) + 1:], body)
        return status(404, "NotFound", f"no {url.path}")

    def list(self, query):
        items = [pod for pod in self.pods.values() if selected(
            pod["metadata"]["labels"], query.get("labelSelector", ""))]
        return answer(200, {"kind": "PodList", "apiVersion": "v1", "metadata": {
            "resourceVersion": str(self.version)}, "items": items})

    def watch(self, query):
        since = int(query["resourceVersion"])

        def send(handler):
            at = since
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            while not self.over.is_set():
                with self.changed:
                    self.changed.wait(0.2)
                    if self.away:
                        break
                    news = [entry for entry in self.events if entry[0] > at]
                for at, kind, pod in news:
                    piece = event(kind, pod)
                    handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                handler.wfile.flush()
            handler.close_connection = True
        return send

    def create(self, pod):
        name = pod["metadata"]["name"]
        if self.refusal:
            return self.refusal
        if name in self.pods:
            return status(409, "AlreadyExists", f'pods "{name}" already exists')
        self.add(pod)
        return answer(201, pod)

    def one(self, method, name, body):
        pod = self.pods.get(name)
        if not pod:
            return status(404, "NotFound", f'pods "{name}" not found')
        if method != "DELETE":
            return answer(200, pod)
        if name == self.held:
            return silent
        uid = body.get("preconditions", {}).get("uid")
        if uid and uid != pod["metadata"]["uid"]:
            return status(409, "Conflict", "another uid")
        self.remove(name)
        return answer(200, pod)

    def patch(self, body):
        version = body.get("metadata", {}).get("resourceVersion")
        if version and version != self.job["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the object has been modified")
        self.job["spec"].update(body["spec"])
        self.stamp(self.job)
        self.keep_task()
        return answer(200, self.job)

    def __exit__(self, *args):
        with self.changed:
            self.changed.notify_all()
        super().__exit__(*args)


def close(handler):
    handler.close_connection = True


def quota():
    return status(403, "Forbidden",
                  'pods "heat-bellows-0" is forbidden: exceeded quota: few, '
                  "requested: pods=1, used: pods=4, limited: pods=4")

