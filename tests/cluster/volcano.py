# SPDX-License-Identifier: Apache-2.0
"""Volcano: its types and webhooks, from its own chart, and its programs

The programs run beside the control plane and not in pods.  The webhooks are
reached like anybody's, by a Service of the name that the chart gives it, whose
endpoint is the program.
"""

import pki
from api import ADDRESS
from daemons import Daemon, run, wait

SPACE, SERVICE, PORT = "volcano-system", "volcano-admission-service", 8443
ADMISSIONS = ("/jobs/mutate", "/jobs/validate", "/podgroups/validate",
              "/queues/mutate", "/queues/validate")
TEMPLATES = (
    "templates/webhooks", "templates/batch_v1alpha1_cronjob",
    "templates/batch_v1alpha1_job", "templates/bus_v1alpha1_command",
    "templates/nodeinfo_v1alpha1_numatopologies",
    "templates/scheduling_v1beta1_podgroup",
    "templates/scheduling_v1beta1_queue",
    "templates/shard_v1alpha1_nodeshards",
    "templates/topology_v1alpha1_hypernodes",
    "templates/config_v1alpha1_colocationconfigurations",
    "charts/jobflow/templates/flow_v1alpha1_jobflows",
    "charts/jobflow/templates/flow_v1alpha1_jobtemplates")


def manifests(chart):
    admissions = "\\,".join(ADMISSIONS)
    return run("helm", "template", "volcano", chart, "--namespace", SPACE,
               "--set", f"custom.enabled_admissions={admissions}",
               *(f"--show-only={name}.yaml" for name in TEMPLATES))


def make_service(api):
    """The way to the webhooks."""
    port = {"name": "https", "port": PORT, "protocol": "TCP"}
    labels = {"kubernetes.io/service-name": SERVICE}
    api.make("/api/v1/namespaces", {"metadata": {"name": SPACE}})
    api.make(f"/api/v1/namespaces/{SPACE}/services", {
        "metadata": {"name": SERVICE},
        "spec": {"ports": [{"name": "https", "port": 443,
                            "targetPort": PORT}]}})
    api.make(f"/apis/discovery.k8s.io/v1/namespaces/{SPACE}/endpointslices", {
        "metadata": {"name": SERVICE, "labels": labels},
        "addressType": "IPv4", "ports": [port],
        "endpoints": [{"addresses": [ADDRESS],
                       "conditions": {"ready": True}}]})


def start_webhooks(place, keys, chart):
    return Daemon(
        place, "vc-webhook-manager", "vc-webhook-manager",
        f"--kubeconfig={place.kubeconfig}", f"--listen-address={ADDRESS}",
        f"--port={PORT}", f"--webhook-namespace={SPACE}",
        f"--webhook-service-name={SERVICE}",
        f"--tls-cert-file={keys}/webhooks.crt",
        f"--tls-private-key-file={keys}/webhooks.key",
        f"--ca-cert-file={keys}/ca.crt",
        f"--enabled-admission={','.join(ADMISSIONS)}",
        f"--admission-conf={chart}/config/volcano-admission.conf",
        "--logtostderr", "-v=2")


def start_scheduler(place, chart):
    return Daemon(
        place, "vc-scheduler", "vc-scheduler",
        f"--kubeconfig={place.kubeconfig}",
        f"--scheduler-conf={chart}/config/volcano-scheduler.conf",
        "--leader-elect=false", "--cache-dumper=false", "--plugins-dir=",
        "--listen-address=127.0.0.1:8080", "--logtostderr", "-v=2")


def start_controllers(place):
    return Daemon(
        place, "vc-controller-manager", "vc-controller-manager",
        f"--kubeconfig={place.kubeconfig}", "--leader-elect=false",
        "--listen-address=127.0.0.1:8081", "--logtostderr", "-v=2")


def is_open(queue):
    return queue and queue.get("status", {}).get("state") == "Open"


def are_known(kinds):
    return kinds and all(
        any(at["type"] == "Established" and at["status"] == "True"
            for at in kind.get("status", {}).get("conditions") or ())
        for kind in kinds["items"])


def start(place, api, chart):
    """Ready to take a job."""
    keys = place.path("pki")
    pki.certify(keys, "webhooks", "/CN=volcano",
                f"DNS:{SERVICE}.{SPACE}.svc,DNS:{SERVICE}.{SPACE}")
    make_service(api)
    # they must be there before their program, which waits for them not well
    run("kubectl", "apply", "--server-side", "-f", "-", text=manifests(chart))
    wait("Volcano's kinds are known", lambda: are_known(api.get(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")))
    webhooks = start_webhooks(place, keys, chart)
    daemons = [webhooks, start_scheduler(place, chart),
               start_controllers(place)]
    queue = "/apis/scheduling.volcano.sh/v1beta1/queues/default"
    wait("Volcano's queue is open", lambda: is_open(api.get(queue)), *daemons)
    return daemons
