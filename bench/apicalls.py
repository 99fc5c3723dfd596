# SPDX-License-Identifier: Apache-2.0
"""How often a client calls the API server, by verb and resource

apiserver_request_total does not say who called.  The server's flow control does:
it counts each request under the FlowSchema that it matched.  So there is one for
each kind of call, which matches one service account alone; all of them lead to the
priority level that service accounts have anyway.  What is counted does not depend
on the caller's own word.
"""

import json
import re

METRIC = "apiserver_flowcontrol_dispatched_requests_total"
PREFIX = "bellows-bench-"
LEVEL = "workload-low"
# (verb, API group, resource); the first one that fits counts
KINDS = (
    ("create", "", "pods"), ("delete", "", "pods"), ("list", "", "pods"),
    ("watch", "", "pods"), ("get", "", "pods"),
    ("patch", "", "pods/status"), ("create", "events.k8s.io", "events"),
    ("*", "*", "*"),
)


def name(verb, resource):
    if verb == "*":
        return PREFIX + "other"
    return PREFIX + f"{verb}-{resource.replace('/', '-')}"


def schema(number, space, account):
    verb, group, resource = KINDS[number]
    return {
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
        "metadata": {"name": name(verb, resource)},
        "spec": {
            "priorityLevelConfiguration": {"name": LEVEL},
            "matchingPrecedence": 500 + number,
            "rules": [{
                "subjects": [{"kind": "ServiceAccount", "serviceAccount": {
                    "name": account, "namespace": space}}],
                "resourceRules": [{
                    "verbs": [verb], "apiGroups": [group],
                    "resources": [resource], "namespaces": ["*"],
                    "clusterScope": True}]}]}}


def count(cluster, space, account):
    """From here on calls of this account are counted, and no other's."""
    names = [name(verb, resource) for verb, _, resource in KINDS]
    cluster.kubectl("delete", "flowschema", "--ignore-not-found", *names)
    cluster.kubectl("apply", "-f", "-", text="\n---\n".join(
        json.dumps(schema(i, space, account)) for i in range(len(KINDS))))
    # the server has read it once it says so
    cluster.kubectl("wait", "flowschema", "--timeout=30s",
                    "--for=condition=Dangling=False", *names)


def parse(text):
    """{kind of call: how many}, of the server's metrics."""
    found = {}
    pattern = rf'^{METRIC}\{{([^}}]*flow_schema="{PREFIX}([^"]+)"[^}}]*)\}} (\S+)$'
    for _, kind, value in re.findall(pattern, text, re.M):
        found[kind] = found.get(kind, 0) + round(float(value))
    return found


def read(cluster):
    return parse(cluster.kubectl("get", "--raw", "/metrics"))


def since(before, now):
    """What came between two readings."""
    return {kind: n - before.get(kind, 0) for kind, n in now.items()
            if n > before.get(kind, 0)}
