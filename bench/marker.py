# SPDX-License-Identifier: Apache-2.0
"""Marks pods as Running that do not run

    marker.py KEYS NAMESPACE

A test controller in place of a scheduler and a kubelet, for an API server alone:
each pod of the namespace gets the phase Running and an address as soon as it is
seen.  Prints the name of each.  Runs in the network of a cluster of tests/cluster,
whose keys are in KEYS, until it is killed.
"""

import json
import os
import queue
import sys

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../tests/cluster"))
from api import Api, Watch                                    # noqa: E402

PATCH = "application/merge-patch+json"


def status(number):
    address = f"10.245.{number // 250}.{number % 250 + 1}"
    return {"status": {
        "phase": "Running", "podIP": address, "podIPs": [{"ip": address}],
        "conditions": [{"type": kind, "status": "True"} for kind in
                       ("PodScheduled", "Initialized", "ContainersReady",
                        "Ready")]}}


def main():
    api = Api(sys.argv[1])
    path = f"/api/v1/namespaces/{sys.argv[2]}/pods"
    waiting, marked = queue.Queue(), set()
    Watch(api, path, waiting.put)
    at = api.connect()
    while True:
        pod = waiting.get()
        who = pod["metadata"]["name"]
        if who in marked or pod["status"].get("phase") != "Pending":
            continue
        marked.add(who)
        at.request("PATCH", f"{path}/{who}/status",
                   json.dumps(status(len(marked))), {"Content-Type": PATCH})
        answer = at.getresponse()
        answer.read()
        if answer.status == 200:
            print(who, flush=True)
        elif answer.status != 404:      # it may be gone by now
            sys.exit(f"marker: {who}: status {answer.status}")


if __name__ == "__main__":
    main()
