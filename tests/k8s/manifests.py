# SPDX-License-Identifier: Apache-2.0
"""manifests.py ROOT BELLOWS: k8s/ is what it says, without a cluster

Overlays are put together by a small reading of kustomize, which knows what they
use and no more; where kubectl is there, its own reading is checked too.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import objects  # noqa: E402
from objects import expect  # noqa: E402

ROOT, BELLOWS = sys.argv[1:3]
K8S = os.path.join(ROOT, "k8s")
OVERLAYS = sorted(os.listdir(os.path.join(K8S, "overlays")))
OURS = [each for each in OVERLAYS if each != "kub"]  # Kub's workers are root
MONITORED = [each for each in OURS if each != "monitor-outside"]


def text_of(*path):
    with open(os.path.join(K8S, *path), encoding="utf-8") as file:
        return file.read()


# ---- kustomize, as far as it is used here ----


def step(at, key):
    return at[int(key)] if isinstance(at, list) else at[key]


def patch(thing, operations, where):
    for each in operations:
        *way, last = [key.replace("~1", "/")
                      for key in each["path"].split("/")[1:]]
        at = thing
        for key in way:
            at = step(at, key)
        if each["op"] == "test":
            expect(step(at, last) == each["value"],
                   f"{where}: {each['path']} is {step(at, last)}")
        elif each["op"] == "add" and last == "-":
            at.append(each["value"])
        elif each["op"] in ("add", "replace"):
            at[int(last) if isinstance(at, list) else last] = each["value"]
        else:
            expect(each["op"] == "remove", f"{where}: {each['op']}")
            del at[int(last) if isinstance(at, list) else last]


def is_meant(thing, target):
    group = thing["apiVersion"].rpartition("/")[0].partition("/")[0]
    return thing["kind"] == target["kind"] and \
        thing["metadata"]["name"] == target["name"] and \
        target.get("group", group) == group


def generate(things, folder, of):
    for each in of:
        files = {}
        for pair in each["files"]:
            key, _, path = pair.rpartition("=")
            with open(os.path.join(folder, path), encoding="utf-8") as file:
                files[key or path] = file.read()
        new = {"apiVersion": "v1", "kind": "ConfigMap",
               "metadata": {"name": each["name"]}, "data": files}
        expect(each["options"]["disableNameSuffixHash"],
               f"{folder}: the job file would get another name")
        old = [thing for thing in things if thing["kind"] == "ConfigMap"]
        expect(bool(old) == (each.get("behavior") == "replace"),
               f"{folder}: behavior of {each['name']}")
        things[:] = [thing for thing in things if thing not in old] + [new]


def build(folder):
    things = []
    recipe, = objects.read(
        open(os.path.join(folder, "kustomization.yaml"),
             encoding="utf-8").read(), folder)
    known = {"apiVersion", "kind", "resources", "configMapGenerator",
             "images", "patches"}
    expect(set(recipe) <= known, f"{folder}: {set(recipe) - known}")
    for path in recipe["resources"]:
        path = os.path.join(folder, path)
        if os.path.isdir(path):
            things += build(path)
        else:
            things += objects.read(open(path, encoding="utf-8").read(), path)
    generate(things, folder, recipe.get("configMapGenerator", []))
    for each in recipe.get("patches", []):
        meant = [thing for thing in things if is_meant(thing, each["target"])]
        expect(len(meant) == 1, f"{folder}: a patch of {len(meant)} objects")
        patch(meant[0], objects.read(each["patch"], folder)[0], folder)
    for each in recipe.get("images", []):
        for template in (template for thing in things
                         for _, template in objects.templates(thing)):
            for container in template["spec"]["containers"]:
                container["image"] = container["image"].replace(
                    each["name"] + ":", each["newName"] + ":")
    return things


def overlay(name):
    return build(os.path.join(K8S, "overlays", name))


def arguments(things, role):
    for thing in things:
        for label, template in objects.templates(thing):
            if objects.role_of(label, template) == role:
                return template["spec"]["containers"][0].get("args", [])
    return []


# ---- what is true ----


def every_overlay_of_our_own_is_a_whole_job_in_the_restricted_profile():
    for name in OURS:
        roles = objects.check(overlay(name), name)
        expect(("monitor" in roles) == (name in MONITORED), f"{name}: {roles}")


def kubectl_reads_the_overlays_alike():
    if not shutil.which("kubectl"):
        raise objects.Skip("kubectl is missing")
    for name in OVERLAYS:
        made = subprocess.run(
            ["kubectl", "kustomize", os.path.join(K8S, "overlays", name)],
            capture_output=True, text=True, check=True).stdout
        key = objects.name
        theirs = sorted(objects.read(made, name), key=key)
        ours = sorted(overlay(name), key=key)
        expect([key(each) for each in theirs] == [key(each) for each in ours],
               f"{name}: other objects")
        for one, other in zip(theirs, ours):
            one["metadata"].pop("labels", None)
            other["metadata"].pop("labels", None)
            expect(one == other, f"{name}: {key(one)} differs")


def every_job_file_is_valid_and_of_that_name():
    for name in OVERLAYS:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(objects.job_file(overlay(name)))
            file.flush()
            said = subprocess.run([BELLOWS, "validate", file.name],
                                  capture_output=True, text=True, check=False)
            expect(said.returncode == 0, f"{name}: {said.stderr}")
            expect(re.search(r"^name +heat$", said.stdout, re.M),
                   f"{name}: {said.stdout}")


def the_executors_it_begins_with_are_those_of_the_job_file():
    for name in OVERLAYS:
        things = overlay(name)
        initial = int(re.search(r"initial: (\d+)",
                                objects.job_file(things))[1])
        for thing in things:
            for task in thing.get("spec", {}).get("tasks", []):
                if task["name"] in ("worker", "mpiworker"):
                    expect(task["replicas"] == initial, f"{name}: replicas")
                    expect(task["minAvailable"] <= 1, f"{name}: it shrinks")


def a_master_that_is_replaced_often_does_not_end_the_job():
    """Volcano adds up the RestartTask of a job's whole life."""
    for name in OVERLAYS:
        for thing in overlay(name):
            spec = thing.get("spec", {})
            if any(policy["action"] == "RestartTask"
                   for task in spec.get("tasks", [])
                   for policy in task.get("policies", [])):
                expect(spec.get("maxRetry", 3) >= 1000, f"{name}: maxRetry")


def a_monitor_gets_the_owner_of_the_job_and_may_read_it():
    for name in MONITORED:
        things = overlay(name)
        said = arguments(things, "monitor")
        owner, = [each.split("=")[1] for each in said
                  if each.startswith("--owner=")]
        kind, _, job = owner.partition("/")
        group = {"vcjob": "batch.volcano.sh", "job": "batch"}[kind]
        rules = [rule for thing in things if thing["kind"] == "Role"
                 for rule in thing["rules"] if rule["apiGroups"] == [group]]
        expect(job == "heat" and len(rules) == 1 and "get" in
               rules[0]["verbs"], f"{name}: {owner} and {rules}")
        replicas = "--mode=replicas" in said
        expect(("patch" in rules[0]["verbs"]) == replicas,
               f"{name}: patch of {owner}")


def what_the_overlay_of_kub_has_of_ours_is_as_elsewhere():
    roles = []
    for thing in overlay("kub"):
        objects.is_whole(thing)
        if "tasks" in thing.get("spec", {}):
            objects.restarts_nothing(thing)
        for label, template in objects.templates(thing):
            roles.append(objects.role_of(label, template))
            facts = [objects.is_mounted, objects.is_reclaimed,
                     objects.is_probed_where_it_tells_health,
                     objects.has_its_journal_on_the_claim]
            if roles[-1] == "coordinator":
                facts += [objects.shows_only_itself, objects.is_free]
            for fact in facts:
                fact(label, template)
            expect(template["spec"]["automountServiceAccountToken"] is False,
                   f"{label}: a token of the API")
    expect(roles == ["coordinator", "executor"], f"kub: {roles}")


def the_overlay_of_kub_is_where_its_programs_look():
    things = {each["kind"]: each for each in overlay("kub")}
    service, text = things["Service"], objects.job_file(things.values())
    master, worker = [template for _, template
                      in objects.templates(things["Job"])]
    port, = service["spec"]["ports"]
    words = arguments(things.values(), "coordinator")
    expect(service["metadata"]["name"] == "grpc-server"
           and port["port"] == port.get("targetPort", port["port"]) == 30173
           and words[words.index("--kub") + 1] == "0.0.0.0:30173",
           f"kub: {port} and {words}")
    expect(service["spec"]["selector"].items()
           <= master["metadata"]["labels"].items()
           and service["spec"]["clusterIP"] == "None", f"kub: {service}")
    expect([task["name"] for task in things["Job"]["spec"]["tasks"]]
           == ["mpimaster", "mpiworker"] and "ssh" in
           things["Job"]["spec"]["plugins"], "kub: its host names and keys")
    claim = things["PersistentVolumeClaim"]["metadata"]["name"]
    for template in master, worker:
        spec = template["spec"]
        at = [each["mountPath"] for each in spec["containers"][0]
              ["volumeMounts"] if each["name"] == "data"]
        of = [each["persistentVolumeClaim"]["claimName"] for each in
              spec["volumes"] if each["name"] == "data"]
        expect((claim, at, of) == ("task-pv-claim", ["/data"], [claim]),
               f"kub: {claim} {at} {of}")
    expect(re.search(r"^checkpoint: \{dir: /data\}$", text, re.M)
           and re.search(r"^mpi: .*key: /root/\.ssh/id_rsa\}$", text, re.M)
           and re.search(r"^kub: true$", text, re.M), f"kub: {text}")


def a_single_node_has_a_volume_for_the_claim_of_the_job():
    volume, = objects.read(text_of("one-node", "volume.yaml"), "one-node")
    claim, = [each for each in overlay("volcano-parint")
              if each["kind"] == "PersistentVolumeClaim"]
    expect(volume["spec"]["claimRef"]["name"] == claim["metadata"]["name"]
           and volume["spec"]["accessModes"] == claim["spec"]["accessModes"],
           "it is another one's")


def no_manifest_has_a_secret_in_it():
    for folder, _, files in os.walk(K8S):
        for file in files:
            text = text_of(os.path.relpath(os.path.join(folder, file), K8S))
            expect("kind: Secret" not in text or file in ("token.yaml", "tls.yaml"),
                   f"{file}: a Secret")
            expect(not re.search(r"[0-9A-Za-z+]{40,}", text),
                   f"{file}: what looks like a key")


def an_mpi_job_of_volcano_becomes_elastic_by_ten_lines():
    before = text_of("examples", "mpi-before.yaml").splitlines()
    after = text_of("examples", "mpi-after.yaml").splitlines()
    match = difflib.SequenceMatcher(None, before, after, autojunk=False)
    lines = sum(max(b - a, d - c) for tag, a, b, c, d in match.get_opcodes()
                if tag != "equal")
    expect(0 < lines <= 10, f"{lines} lines")
    for text in before, after:
        job, = objects.read("\n".join(text), "examples")
        expect(objects.name(job) == "Job/heat", "another job")
    objects.restarts_nothing(job)
    for label, template in objects.templates(job):
        objects.role_of(label, template)
        objects.is_mounted(label, template)


def the_document_shows_that_very_difference():
    made = subprocess.run(
        ["diff", "mpi-before.yaml", "mpi-after.yaml"], text=True, check=False,
        cwd=os.path.join(K8S, "examples"), capture_output=True).stdout
    shown = "".join(f"    {line}\n" for line in made.splitlines())
    with open(os.path.join(ROOT, "docs", "kubernetes.md"),
              encoding="utf-8") as file:
        expect(shown in file.read(), f"docs/kubernetes.md lacks\n{shown}")


def the_rows_on_rbac_are_those_of_the_roles():
    with open(os.path.join(ROOT, "docs", "kubernetes.md"),
              encoding="utf-8") as file:
        rows = {(row[1], row[2]) for row in re.finditer(
            r"^\| `([a-z0-9./]+)` \| ([a-z, ]+) \|", file.read(), re.M)}
    rules = set()
    for name in ("plain-parint", "replicas-mode"):
        for role in overlay(name):
            for rule in role.get("rules", []):
                group, resource = rule["apiGroups"][0], rule["resources"][0]
                rules.add((f"{group}/{resource}" if group else resource,
                           ", ".join(rule["verbs"])))
    expect(rows == rules, f"docs/kubernetes.md: {rows ^ rules}")


objects.main(every_overlay_of_our_own_is_a_whole_job_in_the_restricted_profile,
             kubectl_reads_the_overlays_alike,
             every_job_file_is_valid_and_of_that_name,
             the_executors_it_begins_with_are_those_of_the_job_file,
             a_master_that_is_replaced_often_does_not_end_the_job,
             a_monitor_gets_the_owner_of_the_job_and_may_read_it,
             what_the_overlay_of_kub_has_of_ours_is_as_elsewhere,
             the_overlay_of_kub_is_where_its_programs_look,
             a_single_node_has_a_volume_for_the_claim_of_the_job,
             no_manifest_has_a_secret_in_it,
             an_mpi_job_of_volcano_becomes_elastic_by_ten_lines,
             the_document_shows_that_very_difference,
             the_rows_on_rbac_are_those_of_the_roles)
