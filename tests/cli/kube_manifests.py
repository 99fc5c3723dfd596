#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kube_manifests.py ROOT BELLOWS: `bellows run --on kube` makes what the
manifests in k8s/ say, no more and no less; speaks TAP."""

import json
import os
import shutil
import subprocess
import sys

try:
    import yaml
except ImportError:
    yaml = None

ROOT, BELLOWS = sys.argv[1:]
OVERLAYS = os.path.join(ROOT, 'k8s', 'overlays')
# The manifests' executors ask for little, so that small clusters take them.
SMALL = ['--cpu', '250m', '--memory', '128Mi']
CASES = {
    'volcano-parint': ('volcano-parint', []),
    'plain-parint': ('plain-parint', ['--plain']),
    'replicas-mode': ('volcano-parint', ['--mode', 'replicas']),
}


def run(*argv):
    return subprocess.run(argv, check=True, capture_output=True,
                          text=True).stdout


def plain(at):
    """Without what means the same when it is left out."""
    if isinstance(at, dict):
        return {key: plain(value) for key, value in at.items()
                if value not in ([], {}) and key != 'namespace'}
    if isinstance(at, list):
        return [plain(value) for value in at]
    return at


def named(items):
    return {item['kind'] + '/' + item['metadata']['name']: plain(item)
            for item in items}


def differences(a, b, path):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            yield from differences(a.get(key), b.get(key), f'{path}.{key}')
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (one, other) in enumerate(zip(a, b)):
            yield from differences(one, other, f'{path}.{i}')
    elif a != b:
        yield f'{path}: the manifest has {a}, bellows {b}'


def missing():
    """Without which nothing can be compared; None if all is there."""
    there = {'kubectl': shutil.which('kubectl'), 'python3-yaml': yaml,
             'k8s/overlays': os.path.isdir(OVERLAYS)}
    return next((name for name, at in there.items() if not at), None)


def check(overlay, job_file, options):
    folder = os.path.join(OVERLAYS, overlay)
    manifest = named(at for at in yaml.safe_load_all(
        run('kubectl', 'kustomize', folder)) if at)
    file = os.path.join(OVERLAYS, job_file, 'heat.yaml')
    made = named(json.loads(run(BELLOWS, 'run', file, '--on', 'kube',
                                '--print', *SMALL, *options))['items'])
    # a secret is not kept in a repository
    for name in ('token', 'coordinator-tls', 'executor-tls', 'monitor-tls',
                 'client-tls', 'scheduler-tls'):
        made.pop('Secret/heat-' + name)
    return list(differences(manifest, made, overlay))


def main():
    print(f'1..{len(CASES)}')
    failed = False
    for n, (overlay, (job_file, options)) in enumerate(CASES.items(), 1):
        title = f'bellows run makes what the overlay {overlay} says'
        lack = missing()
        if lack:
            print(f'ok {n} - {title} # SKIP {lack} is missing')
            continue
        wrong = check(overlay, job_file, options)
        for line in wrong:
            print('#', line)
        failed = failed or bool(wrong)
        print(f'{"not ok" if wrong else "ok"} {n} - {title}')
    return failed


sys.exit(main())
