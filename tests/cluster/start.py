# SPDX-License-Identifier: Apache-2.0
"""All that runs in a cluster, started from within it

    start.py NAME BINARIES
"""

import os
import subprocess
import sys
import time

import control
import volcano
import volumes
from api import ADDRESS, Api
from daemons import PATIENCE, Daemon, Refused, tell, wait
from node import ALONE
from place import Place

HERE = os.path.dirname(os.path.abspath(__file__))


def begin_node(place, number):
    os.mkdir(place.path(f"node{number}"), 0o700)
    return subprocess.Popen(
        [*ALONE, sys.executable, "-B", f"{HERE}/node.py", place.name,
         str(number)],
        stdin=subprocess.DEVNULL)


def end_node(process):
    try:
        code = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        code = "no end"
    if code != 0:
        raise Refused("the node did not come up")


def start_helpers(place, api):
    keys = place.path("pki")
    wait("the class of volumes", lambda: volumes.make_class(api))
    return [Daemon(place, "dns", sys.executable, "-B", f"{HERE}/dns.py", keys),
            Daemon(place, "volumes", sys.executable, "-B",
                   f"{HERE}/volumes.py", keys, place.path("volumes"))]


def start(place, binaries):
    began = time.monotonic()
    api = Api(place.path("pki"))

    def done(what):
        tell(f"{time.monotonic() - began:5.1f} s: {what}")

    daemons = control.start(place, api)
    done(f"the API server answers on {ADDRESS}")
    node = begin_node(place, 1)
    daemons += start_helpers(place, api)
    daemons += volcano.start(place, api, f"{binaries}/chart")
    done("Volcano takes jobs")
    end_node(node)
    done("node1 is ready")
    account = "/api/v1/namespaces/default/serviceaccounts/default"
    wait("the default account", lambda: api.get(account), *daemons)
    for daemon in daemons:
        daemon.must_live()
    done("up")


if __name__ == "__main__":
    try:
        start(Place(sys.argv[1]), sys.argv[2])
    except Refused as reason:
        sys.exit(f"up: {reason}")
