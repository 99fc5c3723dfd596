# SPDX-License-Identifier: Apache-2.0
"""Certificates of the cluster's components, and kubeconfigs that carry them"""

import base64
import json
import os

from api import ADDRESS, PORT
from daemons import run

CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "365"]
SERVICE = "10.96.0.1"
MASTERS = "/O=system:masters"
APISERVER = f"DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,\
DNS:kubernetes.default.svc.cluster.local,IP:{SERVICE},IP:{ADDRESS}"
USERS = {
    "admin": f"{MASTERS}/CN=admin",
    "kubelet-client": f"{MASTERS}/CN=kube-apiserver-kubelet-client",
    "controller-manager": "/CN=system:kube-controller-manager",
    "scheduler": "/CN=system:kube-scheduler",
    "front-proxy": "/CN=front-proxy",
}


def certify(folder, name, subject, names=""):
    run("openssl", "req", "-x509", *CURVE, "-subj", subject,
        "-CA", f"{folder}/ca.crt", "-CAkey", f"{folder}/ca.key",
        "-addext", "basicConstraints=critical,CA:false",
        "-addext", "extendedKeyUsage=serverAuth,clientAuth",
        *(["-addext", f"subjectAltName={names}"] if names else []),
        "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.crt")


def encoded(path):
    with open(path, "rb") as file:
        return base64.b64encode(file.read()).decode()


def write_kubeconfig(folder, name, path):
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "bed",
        "clusters": [{"name": "bed", "cluster": {
            "server": f"https://{ADDRESS}:{PORT}",
            "certificate-authority-data": encoded(f"{folder}/ca.crt")}}],
        "users": [{"name": name, "user": {
            "client-certificate-data": encoded(f"{folder}/{name}.crt"),
            "client-key-data": encoded(f"{folder}/{name}.key")}}],
        "contexts": [{"name": "bed", "context": {
            "cluster": "bed", "user": name}}],
    }
    with open(path, "w", encoding="ascii",
              opener=lambda at, flags: os.open(at, flags, 0o600)) as file:
        json.dump(config, file)


def make(folder, kubeconfig):
    os.mkdir(folder, 0o700)
    run("openssl", "req", "-x509", *CURVE, "-subj", "/CN=bellows-cluster",
        "-addext", "basicConstraints=critical,CA:true",
        "-keyout", f"{folder}/ca.key", "-out", f"{folder}/ca.crt")
    for name, subject in USERS.items():
        certify(folder, name, subject)
    certify(folder, "apiserver", "/CN=kube-apiserver", APISERVER)
    for name in ("controller-manager", "scheduler"):
        write_kubeconfig(folder, name, f"{folder}/{name}.kubeconfig")
    write_kubeconfig(folder, "admin", kubeconfig)
    run("openssl", "ecparam", "-genkey", "-noout", "-name", "prime256v1",
        "-out", f"{folder}/accounts.key")
    run("openssl", "ec", "-in", f"{folder}/accounts.key", "-pubout",
        "-out", f"{folder}/accounts.pub")


def make_node(folder, name, address):
    certify(folder, name, f"/O=system:nodes/CN=system:node:{name}",
            f"DNS:{name},IP:{address}")
    write_kubeconfig(folder, name, f"{folder}/{name}.kubeconfig")
