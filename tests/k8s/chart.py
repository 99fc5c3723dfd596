# SPDX-License-Identifier: Apache-2.0
"""chart.py ROOT BELLOWS: the Helm chart, without a cluster

helm is the one that tests/cluster has built, or that of PATH.
"""

import base64
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import objects  # noqa: E402
from objects import expect  # noqa: E402

ROOT, BELLOWS = sys.argv[1:3]
CHART = os.path.join(ROOT, "k8s", "helm", "bellows")


def find_helm():
    build = os.path.join(ROOT, "tests", "cluster", "build")
    if os.path.exists(build):
        folder = subprocess.run([build, "--where"], capture_output=True,
                                text=True, check=False).stdout.strip()
        helm = os.path.join(folder, "bin", "helm")
        if folder and os.path.exists(helm):
            return helm
    return shutil.which("helm")


HELM = find_helm()

# What is set -> how many roles have a pod in it
VARIANTS = {
    (): 3,
    ("mode=replicas",): 3,
    ("monitor.inside=false",): 2,
    ("volcano.enabled=false",): 3,
    ("volcano.enabled=false", "monitor.inside=false"): 2,
    ("storage.hostPath=/srv/bellows", "storage.accessMode=ReadWriteOnce"): 3,
    ("storage.existingClaim=scratch", "tokenSecret=mine"): 3,
    ("input=heat-input", "image.pullSecrets={one,two}"): 3,
    ("job.ranks_per_executor=2", "job.ranks.initial=3"): 3,
    ("name=other",): 3,
    ("tls.existing=true",): 3,
}


def helm(*words):
    return subprocess.run([HELM, *words], capture_output=True, text=True,
                          check=False)


def template(*pairs):
    sets = [word for pair in pairs for word in ("--set", pair)]
    made = helm("template", "heat", CHART, "--namespace", "ns", *sets)
    expect(made.returncode == 0, f"{pairs}: {made.stderr}")
    return objects.read(made.stdout, str(pairs))


def refused(sentence, *pairs):
    sets = [word for pair in pairs for word in ("--set", pair)]
    made = helm("template", "heat", CHART, *sets)
    expect(made.returncode != 0 and sentence in made.stderr,
           f"{pairs}: {made.returncode} {made.stderr}")


def find(things, kind, start=""):
    found = [thing for thing in things if thing["kind"] == kind
             and thing["metadata"]["name"].startswith(start)]
    expect(len(found) == 1, f"{len(found)} of {kind}")
    return found[0]


def helm_has_nothing_against_it():
    said = helm("lint", "--strict", CHART)
    expect(said.returncode == 0 and "0 chart(s) failed" in said.stdout,
           said.stdout + said.stderr)


def every_variant_is_a_whole_job_in_the_restricted_profile():
    for pairs, roles in VARIANTS.items():
        job = "other" if "name=other" in pairs else "heat"
        is_at = objects.check(template(*pairs), str(pairs), job)
        expect(len(is_at) == roles, f"{pairs}: {is_at}")


def every_job_file_is_valid():
    for pairs in VARIANTS:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(objects.job_file(template(*pairs)))
            file.flush()
            said = subprocess.run([BELLOWS, "validate", file.name],
                                  capture_output=True, text=True, check=False)
            expect(said.returncode == 0, f"{pairs}: {said.stderr}")


def executors_have_places_for_the_ranks_to_begin_with():
    things = template("job.ranks_per_executor=2", "job.ranks.initial=3")
    worker = find(things, "Job")["spec"]["tasks"][1]
    expect(worker["name"] == "worker" and worker["replicas"] == 2,
           f"replicas {worker['replicas']}")
    env = worker["template"]["spec"]["containers"][0]["env"]
    expect({"name": "BELLOWS_SLOTS", "value": "2"} in env, f"{env}")


def the_token_is_random_and_in_no_other_place():
    tokens = {find(template(), "Secret", "heat-token")["data"]["token"]
              for _ in range(2)}
    expect(len(tokens) == 2 and min(map(len, tokens)) >= 64, f"{tokens}")
    expect(not [thing for thing in
                template("tokenSecret=mine", "tls.existing=true")
                if thing["kind"] == "Secret"], "a Secret beside one's own")


def certificates_are_of_one_authority_and_each_of_its_role():
    things = template("tls.days=3")
    with tempfile.TemporaryDirectory() as folder:
        for role in ("coordinator", "executor", "monitor", "client"):
            secret = find(things, "Secret", f"heat-{role}-tls")
            expect(secret["type"] == "kubernetes.io/tls", secret["type"])
            for key, value in secret["data"].items():
                with open(os.path.join(folder, f"{role}-{key}"), "wb") as file:
                    file.write(base64.b64decode(value))
            # the first one's authority has signed all of them
            said = subprocess.run(
                ["openssl", "verify", "-CAfile",
                 os.path.join(folder, "coordinator-ca.crt"),
                 os.path.join(folder, f"{role}-tls.crt")],
                capture_output=True, text=True, check=False)
            expect(said.returncode == 0, said.stderr)
            told = subprocess.run(
                ["openssl", "x509", "-noout", "-subject", "-ext",
                 "subjectAltName", "-in",
                 os.path.join(folder, f"{role}-tls.crt")],
                capture_output=True, text=True, check=False).stdout
            expect(told.startswith(f"subject=CN = {role}\n"), told)
            expect(("DNS:coordinator.bellows" in told)
                   == (role == "coordinator"), told)


def a_volume_of_a_node_is_bound_to_its_claim():
    things = template("storage.hostPath=/srv/bellows")
    volume = find(things, "PersistentVolume")
    claim = find(things, "PersistentVolumeClaim")
    expect(claim["spec"]["volumeName"] == volume["metadata"]["name"]
           and volume["spec"]["claimRef"] == {
               "namespace": "ns", "name": claim["metadata"]["name"]},
           f"{volume} and {claim}")


def a_job_file_of_ones_own_is_taken_as_it_is():
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write("name: heat\n# as it is\n")
        file.flush()
        made = helm("template", "heat", CHART, "--set-file",
                    f"jobText={file.name}")
    expect(objects.job_file(objects.read(made.stdout, "jobText")) ==
           "name: heat\n# as it is\n", made.stdout + made.stderr)


def what_is_wrong_is_refused_by_its_name():
    refused("mode", "mode=both")
    refused("name", "name=Heat")
    refused("job", "job.dir=/elsewhere")
    refused("initial", "job.ranks.initial=0")
    refused("hostPath", "storage.hostPath=srv")
    refused("volcno", "volcno.enabled=true")
    refused("gracePeriod", "gracePeriod=5")
    refused("days", "tls.days=0")


if not HELM:
    print("1..0 # SKIP helm is missing: tests/cluster/build makes it")
    sys.exit(0)
objects.main(helm_has_nothing_against_it,
             every_variant_is_a_whole_job_in_the_restricted_profile,
             every_job_file_is_valid,
             executors_have_places_for_the_ranks_to_begin_with,
             the_token_is_random_and_in_no_other_place,
             certificates_are_of_one_authority_and_each_of_its_role,
             a_volume_of_a_node_is_bound_to_its_claim,
             a_job_file_of_ones_own_is_taken_as_it_is,
             what_is_wrong_is_refused_by_its_name)
