# SPDX-License-Identifier: Apache-2.0
"""Volumes for claims: folders of this machine, which all nodes share

    volumes.py KEYS FOLDER

The class `folder` is the default one.  Each claim of it gets a folder that
everybody may write, and loses it when the claim is deleted.
"""

import os
import shutil
import sys
import threading

from api import Api, Watch

CLASS = "folder"
MAKER = "bellows.io/folder"
VOLUMES = "/api/v1/persistentvolumes"


def make_class(api):
    return api.make("/apis/storage.k8s.io/v1/storageclasses", {
        "metadata": {"name": CLASS, "annotations": {
            "storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": MAKER, "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate"})


class Volumes:
    def __init__(self, api, folder):
        self.api, self.folder = api, folder
        self.claims = Watch(api, "/api/v1/persistentvolumeclaims", self.fill)
        self.volumes = Watch(api, VOLUMES, self.clear)

    def fill(self, claim):
        spec, at = claim["spec"], claim["metadata"]
        if spec.get("storageClassName") != CLASS or spec.get("volumeName") \
                or "deletionTimestamp" in at:
            return
        name = f"claim-{at['uid']}"
        path = os.path.join(self.folder, name)
        os.makedirs(path, exist_ok=True)
        os.chmod(path, 0o777)
        self.api.make(VOLUMES, {
            "metadata": {"name": name, "annotations": {
                "pv.kubernetes.io/provisioned-by": MAKER}},
            "spec": {
                "storageClassName": CLASS,
                "accessModes": spec["accessModes"],
                "capacity": spec["resources"]["requests"],
                "persistentVolumeReclaimPolicy": "Delete",
                "hostPath": {"path": path},
                "claimRef": {"kind": "PersistentVolumeClaim",
                             "apiVersion": "v1", "name": at["name"],
                             "namespace": at["namespace"],
                             "uid": at["uid"]}}})

    def clear(self, volume):
        name = volume["metadata"]["name"]
        if volume["status"].get("phase") != "Released" or \
                volume["spec"].get("storageClassName") != CLASS:
            return
        shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)
        self.api.ask("DELETE", f"{VOLUMES}/{name}")


def main():
    api = Api(sys.argv[1])
    os.makedirs(sys.argv[2], exist_ok=True)
    Volumes(api, sys.argv[2])
    threading.Event().wait()


if __name__ == "__main__":
    main()
