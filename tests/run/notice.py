#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A notice of 30 s is met, each time, where the save takes 20 s at most.
args: BIN

The saves take any time up to that, drawn by lot; many jobs are there at once,
for all that they do is wait.  A machine that is slow for some seconds must not
lose an executor: lost_after is long.
"""

import concurrent.futures
import tempfile
import time

import harness
from crew import Crew

RUNS, AT_ONCE = harness.some(100, 20), 4
NOTICE, LONGEST = 30, 20
STEP = 0.2      # seconds

# on each rank; the first one saves, and takes its time
APPLICATION = f"""i=$(cat ck/state 2>/dev/null || echo 0)
[ $OMPI_COMM_WORLD_RANK = 0 ] && echo "from $i"
trap '[ $OMPI_COMM_WORLD_RANK = 0 ] || exit 0
sleep $TAKES
echo $i >ck/new && mv ck/new ck/state
exit 0' USR1
while :; do
  i=$((i + 1))
  [ $OMPI_COMM_WORLD_RANK = 0 ] && echo "step $i of 100000"
  sleep {STEP}
done"""


def job(room, takes):
    return room.write("heat.yaml", f"""name: heat
app: generic
command: {harness.flow(["sh", "-c", APPLICATION])}
environment: {{TAKES: "{takes:.2f}"}}
ranks: {{initial: 2, min: 1, max: 2}}
checkpoint: {{dir: ck, deadline: 60s}}
lost_after: 60s
generic:
  files: [state]
  progress: "^step ([0-9]+) of ([0-9]+)$"
  save: {{signal: SIGUSR1, to: all}}
""")


def give_notice(takes):
    """Seconds until the executor was gone; the others go on from the save."""
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        room = harness.Room(folder)
        try:
            crew = Crew(room, job(room, takes), 2, "--grace",
                        NOTICE).computes(2)
            begin = time.monotonic()
            crew.tell("w1")
            crew.left("w1")
            spent = time.monotonic() - begin
            room.computes_on(1)
            saved = int(harness.read(room.path("ck", "state"), "r"))
            assert f"\nfrom {saved}\n" in crew.lead.output, saved
            room.run("bellows", "cancel", "heat").ends_with(0)
            crew.lead.ends_with(130)
            crew.left("w0")
            room.nothing_is_left()
            return spent
        except BaseException:
            print(f"# a save of {takes:.2f} s:")
            room.describe()
            raise
        finally:
            room.clear()


def a_notice_of_30_s_is_met_each_time(_):
    dice = harness.dice()
    takes = [LONGEST] + [dice.uniform(0, LONGEST) for _ in range(RUNS - 1)]
    with concurrent.futures.ProcessPoolExecutor(AT_ONCE) as pool:
        spent = list(pool.map(give_notice, takes))
    over = [at - save for at, save in zip(spent, takes)]
    print(f"# seed {harness.SEED}: the longest took {max(spent):.1f} s, of "
          f"which its save took {takes[spent.index(max(spent))]:.1f} s; beside "
          f"the save {sorted(over)[RUNS // 2]:.2f} s, at most {max(over):.2f} s")
    assert len(spent) == RUNS and max(spent) < NOTICE, max(spent)


harness.main(a_notice_of_30_s_is_met_each_time)
