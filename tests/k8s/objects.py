# SPDX-License-Identifier: Apache-2.0
"""What every manifest in k8s/ has to be, written or rendered"""

import re
import subprocess
import sys

import yaml

KINDS = {
    "ConfigMap", "Job", "NetworkPolicy", "PersistentVolume",
    "PersistentVolumeClaim", "PodDisruptionBudget", "PodTemplate", "Role",
    "RoleBinding", "Secret", "Service", "ServiceAccount",
}


class Lie(Exception):
    """What is not so, in one sentence"""


class Skip(Exception):
    """What is missing, so that nothing was checked"""


def expect(true, sentence):
    if not true:
        raise Lie(sentence)


def read(text, where):
    try:
        return [each for each in yaml.safe_load_all(text) if each]
    except yaml.YAMLError as error:
        raise Lie(f"{where}: {error}") from error


def name(thing):
    return f"{thing.get('kind')}/{thing.get('metadata', {}).get('name')}"


def templates(thing):
    """(label, pod template, of Volcano) of an object"""
    kind, spec = thing["kind"], thing.get("spec", {})
    if kind == "PodTemplate":
        yield name(thing), thing["template"]
    elif "tasks" in spec:
        for task in spec["tasks"]:
            yield f"{name(thing)} task {task['name']}", task["template"]
    elif kind == "Job":
        yield name(thing), spec["template"]


def is_whole(thing):
    expect(thing.get("apiVersion") and thing.get("kind") in KINDS,
           f"{name(thing)}: apiVersion or kind")
    expect(re.fullmatch("[a-z0-9]([a-z0-9-]*[a-z0-9])?",
                        thing["metadata"]["name"]), f"{name(thing)}: its name")


def is_restricted(where, template):
    """As Kubernetes' profile `restricted` has it, and a little more"""
    spec = template["spec"]
    pod = spec.get("securityContext", {})
    expect(pod.get("runAsNonRoot") is True and pod.get("runAsUser"),
           f"{where}: runs as root")
    expect(pod.get("fsGroup") == pod.get("runAsUser"),
           f"{where}: cannot read its token without fsGroup")
    expect(pod.get("seccompProfile") == {"type": "RuntimeDefault"},
           f"{where}: no seccomp profile")
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        expect(not spec.get(key), f"{where}: {key}")
    for container in spec["containers"]:
        context = container.get("securityContext", {})
        expect(context.get("allowPrivilegeEscalation") is False
               and context.get("readOnlyRootFilesystem") is True
               and context.get("capabilities") == {"drop": ["ALL"]},
               f"{where}: securityContext of {container['name']}")


def is_mounted(where, template):
    spec = template["spec"]
    volumes = {each["name"] for each in spec["volumes"]}
    for container in spec["containers"]:
        mounts = {each["name"] for each in container["volumeMounts"]}
        expect(mounts == volumes, f"{where}: volumes {volumes ^ mounts}")
    for each in spec["volumes"]:
        expect("hostPath" not in each, f"{where}: hostPath")
        if "secret" in each:
            expect(each["secret"]["defaultMode"] == 0o400,
                   f"{where}: the token is open to others")


def shows_only_itself(where, template):
    """A pod has the certificate of its own role, and no other"""
    spec, role = template["spec"], role_of(where, template)
    names = [each["secret"]["secretName"] for each in spec["volumes"]
             if each.get("secret", {}).get("secretName", "").endswith("-tls")]
    job = template["metadata"]["labels"]["bellows.io/job"]
    expect(names == [f"{job}-{role}-tls"], f"{where}: certificates {names}")
    for container in spec["containers"]:
        places = [each["mountPath"] for each in container["volumeMounts"]
                  if each["name"] == "tls"]
        expect(places == ["/etc/bellows/tls"], f"{where}: {places}")


def is_probed_where_it_tells_health(where, template):
    """Not where a certificate is asked for, which the kubelet has not"""
    for container in template["spec"]["containers"]:
        ports = {each["containerPort"]: each["name"]
                 for each in container.get("ports", [])}
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            get = container.get(probe, {}).get("httpGet")
            expect(get is None or (ports.get(get["port"]) == "health"
                                   and get["path"] == "/healthz"),
                   f"{where}: {probe} of {get}")


def is_apart(where, template):
    """Only the monitor has a token of the API"""
    spec, role = template["spec"], role_of(where, template)
    expect(spec.get("automountServiceAccountToken") is (role == "monitor"),
           f"{where}: automountServiceAccountToken")
    account = spec.get("serviceAccountName", "")
    expect(account.endswith("-monitor") == (role == "monitor"),
           f"{where}: serviceAccountName {account}")


def role_of(where, template):
    labels = template["metadata"]["labels"]
    role = labels.get("bellows.io/role")
    expect(role in ("coordinator", "executor", "monitor")
           and labels.get("bellows.io/job"), f"{where}: labels {labels}")
    return role


def is_free(where, template):
    """Ranks are not throttled, and have time to save"""
    for container in template["spec"]["containers"]:
        resources = container.get("resources", {})
        expect("cpu" in resources.get("requests", {}), f"{where}: no request")
        expect("cpu" not in resources.get("limits", {}), f"{where}: throttled")
    if role_of(where, template) != "monitor":
        expect(template["spec"]["terminationGracePeriodSeconds"] >= 60,
               f"{where}: no time to save")


def is_given_time(where, template):
    """An executor says when it is fit, and ends before it is killed"""
    if role_of(where, template) != "executor":
        return
    spec, (container,) = template["spec"], template["spec"]["containers"]
    words = container.get("args", [])
    grace = int(dict(zip(words, words[1:])).get("--grace", 0))
    expect(grace + 5 == spec["terminationGracePeriodSeconds"],
           f"{where}: --grace {grace}")
    expect(container.get("startupProbe", {}).get("exec")
           == {"command": ["test", "-e", "/tmp/ready"]},
           f"{where}: it is not asked whether it is fit")
    expect("readinessProbe" not in container and
           "livenessProbe" not in container,
           f"{where}: a process runs beside the ranks again and again")


def is_replaced_later(job):
    """A coordinator is not replaced before it has ended"""
    if role_of(name(job), job["spec"]["template"]) == "coordinator":
        expect(job["spec"].get("podReplacementPolicy") == "Failed",
               f"{name(job)}: it is replaced while it ends")


def has_its_journal_on_the_claim(where, template):
    """A new pod of the coordinator finds what happened before"""
    words = template["spec"]["containers"][0].get("args", [])
    path = dict(zip(words, words[1:])).get("--journal", "")
    wanted = role_of(where, template) == "coordinator"
    expect(bool(path) == wanted, f"{where}: --journal {path}")
    expect(not wanted or path.startswith("/data/")
           and path.endswith("/bellows-journal"), f"{where}: --journal {path}")


def is_reclaimed(where, template):
    """Volcano may reclaim executors, and no other pod"""
    said = template["metadata"].get("annotations", {}).get(
        "volcano.sh/preemptable")
    expect((said is None) == (role_of(where, template) == "executor")
           and said in (None, "false"), f"{where}: preemptable: {said}")


def is_small(role):
    """No wildcard, no secret, nothing that reaches beyond the job"""
    for rule in role["rules"]:
        words = rule["apiGroups"] + rule["resources"] + rule["verbs"]
        expect("*" not in words, f"{name(role)}: a wildcard")
        for resource in rule["resources"]:
            expect(resource in ("pods", "pods/resize", "pods/status", "events",
                                "jobs", "podtemplates"),
                   f"{name(role)}: {resource}")
        if rule["resources"] in (["jobs"], ["podtemplates"]):
            expect(rule.get("resourceNames"), f"{name(role)}: all jobs")


def lets_the_unfit_go(budget):
    """A drain does not wait for an executor that computes nothing"""
    expect(budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow",
           f"{name(budget)}: it keeps pods that are not ready")


def restarts_nothing(job):
    """The loss of one pod is not the end of all"""
    for policy in job["spec"].get("policies", []) + sum(
            [task.get("policies", []) for task in job["spec"]["tasks"]], []):
        events = policy.get("events", []) + [policy.get("event")]
        expect(policy["action"] != "RestartJob"
               and "PodEvicted" not in events and "*" not in events,
               f"{name(job)}: policy {policy}")


def check(things, where, job="heat"):
    """All of a job, as it is applied"""
    names = [name(thing) + thing["apiVersion"] for thing in things]
    expect(len(set(names)) == len(names), f"{where}: an object twice")
    roles = []
    for thing in things:
        is_whole(thing)
        if thing["kind"] == "Role":
            is_small(thing)
        if thing["kind"] == "PodDisruptionBudget":
            lets_the_unfit_go(thing)
        if "tasks" in thing.get("spec", {}):
            restarts_nothing(thing)
        elif thing["kind"] == "Job":
            is_replaced_later(thing)
        for label, template in templates(thing):
            label = f"{where}: {label}"
            for fact in (is_restricted, is_mounted, shows_only_itself,
                         is_probed_where_it_tells_health, is_apart, is_free,
                         is_given_time, is_reclaimed,
                         has_its_journal_on_the_claim):
                fact(label, template)
            roles.append(role_of(label, template))
            expect(template["metadata"]["labels"]["bellows.io/job"] == job,
                   f"{label}: another job")
    expect(roles.count("coordinator") == 1 and roles.count("executor") == 1,
           f"{where}: roles {roles}")
    kinds = {thing["kind"] for thing in things}
    expect({"NetworkPolicy", "PodDisruptionBudget", "Role", "ConfigMap"}
           <= kinds, f"{where}: only {kinds}")
    return roles


def job_file(things):
    """The text of the job file among them"""
    texts = [thing["data"]["job.yaml"] for thing in things
             if thing["kind"] == "ConfigMap"]
    expect(len(texts) == 1, f"{len(texts)} job files")
    return texts[0]


def prove(number, test):
    name_of = test.__name__
    try:
        test()
    except Skip as reason:
        print(f"ok {number} - {name_of} # SKIP {reason}", flush=True)
        return 0
    except Lie as lie:
        print(f"# {lie}\nnot ok {number} - {name_of}", flush=True)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"# {error}\n# {error.stderr}\nnot ok {number} - {name_of}",
              flush=True)
        return 1
    print(f"ok {number} - {name_of}", flush=True)
    return 0


def main(*tests):
    print(f"1..{len(tests)}", flush=True)
    sys.exit(sum([prove(i, test) for i, test in enumerate(tests, 1)]) > 0)
