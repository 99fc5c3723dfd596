#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every manifest of k8s/ before a real API server.  args: BIN"""

import os
import subprocess

import kube  # first: it knows where harness is

K8S = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                   "k8s")
CHART = os.path.join(K8S, "helm", "bellows")
VARIANTS = ((), ("volcano.enabled=false",), ("mode=replicas",),
            ("monitor.inside=false",), ("storage.hostPath=/srv/x",))


def confine(space):
    space.cluster.kubectl("label", "namespace", space.name,
                          "pod-security.kubernetes.io/enforce=restricted",
                          "pod-security.kubernetes.io/warn=restricted")


def helm(space, *words):
    at = subprocess.run(
        [*space.cluster.words(), "helm", *words, "--namespace", space.name],
        capture_output=True, text=True, timeout=kube.PATIENCE, check=False)
    assert at.returncode == 0, f"helm {words}: {at.stderr}"
    return at.stdout


def sets(pairs):
    return [word for pair in pairs for word in ("--set", pair)]


def token(space):
    return space.get("secret", "heat-token")["data"]["token"]


def certificates(space):
    return [space.get("secret", f"heat-{role}-tls")["data"]["tls.crt"]
            for role in ("coordinator", "executor", "monitor", "client")]


def every_overlay_is_taken_by_the_server(_room, space):
    confine(space)
    for name in sorted(os.listdir(os.path.join(K8S, "overlays"))):
        said = space.kubectl("apply", "--dry-run=server", "--kustomize",
                             os.path.join(K8S, "overlays", name))
        assert "job.batch" in said and "configured" not in said, said


def examples_and_the_volume_of_one_node_are_too(_room, space):
    for path in ("examples/mpi-before.yaml", "examples/mpi-after.yaml",
                 "examples/mpi-monitor.yaml", "one-node/volume.yaml"):
        space.kubectl("apply", "--dry-run=server", "--filename",
                      os.path.join(K8S, path))


def every_variant_of_the_chart_is_too(_room, space):
    confine(space)
    for pairs in VARIANTS:
        helm(space, "install", "heat", CHART, "--dry-run=server", *sets(pairs))
        made = helm(space, "template", "heat", CHART, *sets(pairs))
        space.kubectl("apply", "--dry-run=server", "--filename", "-",
                      text=made)


def the_secrets_of_the_chart_are_kept_on_an_upgrade(_room, space):
    words = ("heat", CHART, *sets(("volcano.enabled=false",)))
    helm(space, "install", *words)
    first, keys = token(space), certificates(space)
    helm(space, "upgrade", *words, "--set", "disruptionBudget=false")
    assert token(space) == first and len(first) >= 64
    assert certificates(space) == keys and len({*keys}) == len(keys)
    helm(space, "uninstall", "heat")
    assert space.get("pvc", "heat-data"), "checkpoints went with the release"


def the_monitor_may_do_what_the_role_says_and_nothing_else(_room, space):
    space.kubectl("apply", "--kustomize",
                  os.path.join(K8S, "overlays", "plain-parint"))

    def may(account, verb, *what):
        return space.kubectl(
            "auth", "can-i", verb, *what,
            f"--as=system:serviceaccount:{space.name}:{account}",
            check=False).strip() == "yes"

    assert may("heat-monitor", "create", "pods")
    assert may("heat-monitor", "patch", "pods", "--subresource=status")
    assert may("heat-monitor", "create", "events.events.k8s.io")
    assert may("heat-monitor", "get", "jobs.batch/heat")
    for verb, *what in (("get", "secrets"), ("patch", "pods"),
                        ("get", "jobs.batch/other"), ("create", "jobs.batch"),
                        ("create", "pods", "--subresource=exec"),
                        ("list", "nodes")):
        assert not may("heat-monitor", verb, *what), (verb, what)
    assert not may("heat", "list", "pods")


if __name__ == "__main__":
    kube.main(every_overlay_is_taken_by_the_server,
              examples_and_the_volume_of_one_node_are_too,
              every_variant_of_the_chart_is_too,
              the_secrets_of_the_chart_are_kept_on_an_upgrade,
              the_monitor_may_do_what_the_role_says_and_nothing_else)
