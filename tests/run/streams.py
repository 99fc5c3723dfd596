#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a stream loses when it breaks is sent again.  args: BIN

The relay finds messages in the stream by the bytes of their fields
(proto/bellows.proto), behind the head that gRPC gives each message.
"""

import signal

import harness
from crew import Crew, resumed, steps_of
from relay import DOWN, UP, Relay

HEAD = rb"\0\0\0\0."            # of a message below 256 bytes
LAUNCH = rb"\x0a.*orted"        # orders
SAVE = HEAD + rb"\x22.\x08\x01"  # of start 1
GATE_ARRIVED = HEAD + rb"\x2a.\x08\x02"  # reports; of start 2
RANKS_UP = HEAD + rb"\x32.\x08\x02"
RANKS_GONE = HEAD + rb"\x3a.\x08\x01"    # of start 1
SAVE_BEGUN = HEAD + rb"\x4a.\x08\x01"
NOTICE = HEAD + rb"\x1a.\x08\x01\x10\x01\x18"  # a heartbeat that has a grace

FIRST_ORDER = rb"\0\0.\0.\0\0\0\x03"  # a frame of data, of the second call

# rank 0 saves once rank 1 has been told to; a save needs all the orders
APPLICATION = """i=$(cat ck/state 2>/dev/null || echo 0)
[ $OMPI_COMM_WORLD_RANK = 0 ] && echo "from $i"
trap 'if [ $OMPI_COMM_WORLD_RANK != 0 ]; then touch told; exit 0; fi
while [ ! -e told ]; do sleep 0.05; done
echo $i >ck/new && mv ck/new ck/state
exit 0' USR1
while :; do
  i=$((i + 1))
  [ $OMPI_COMM_WORLD_RANK = 0 ] && echo "step $i of 100000"
  sleep 0.1
done"""

LISTEN = "--listen", "127.0.0.1:0", "--unencrypted"


def crew_of(room, work, *options):
    """A coordinator alone.  No executor is lost because the machine is busy."""
    return Crew(room, room.job(work, ranks=(2, 1, 2), lost_after="20s"), 0,
                *options, listen=LISTEN)


def saves_with(room, relayed, way, pattern):
    """A job of APPLICATION is saved though the connection of that executor
    breaks with what it loses."""
    path = room.write("heat.yaml", f"""name: heat
app: generic
command: {harness.flow(["sh", "-c", APPLICATION])}
ranks: {{initial: 2, min: 1, max: 2}}
lost_after: 20s
checkpoint: {{dir: ck, deadline: 30s}}
generic:
  files: [state]
  progress: "^step ([0-9]+) of ([0-9]+)$"
  save: {{signal: SIGUSR1, to: all}}
""")
    crew = Crew(room, path, 0, listen=LISTEN)
    with Relay(crew.address) as relay:
        for name in "w0", "w1":
            join(crew, name, relay if name == relayed else None)
        crew.computes(2)
        loss = relay.lose(way, pattern)
        room.scale(1).ends_with(0)
        assert loss.is_over()
        assert harness.read(room.path("ck", "state")) != b""
        assert "was lost" not in crew.lead.errors
        room.run("bellows", "cancel", "heat").ends_with(0)
        crew.lead.ends_with(130)
        crew.left("w0", "w1")


def join(crew, name, relay=None):
    """The first one that is ready gets rank 0.  relay: for its connections."""
    direct = crew.address
    crew.address = relay.address if relay else direct
    crew.join(name)
    crew.address = direct
    crew.room.wait("it is ready", lambda: f"executor={name} ready"
                   in crew.lead.errors)


def goes_on(crew, work):
    """The job is on one rank, without a loss and without a step made twice."""
    crew.room.computes_on(1)
    crew.done(work)
    assert len(resumed(crew.lead)) == 1
    assert steps_of(crew.lead) == list(range(1, work.iterations + 1))
    assert "was lost" not in crew.lead.errors


def a_launch_order_survives_a_broken_stream(room):
    work = harness.lasting_work()
    crew = crew_of(room, work)
    with Relay(crew.address) as relay:
        loss = relay.lose(DOWN, LAUNCH)
        join(crew, "w0")
        join(crew, "w1", relay)
        crew.computes(2)
        assert loss.is_over()
        crew.done(work)
    assert resumed(crew.lead) == [] and "was lost" not in crew.lead.errors


def the_first_save_order_survives_a_broken_stream(room):
    saves_with(room, "w0", DOWN, SAVE)


def a_save_order_survives_a_broken_stream(room):
    saves_with(room, "w1", DOWN, SAVE)


def a_report_survives_a_broken_stream(room):
    saves_with(room, "w0", UP, SAVE_BEGUN)


def each_report_of_a_rescale_survives_a_broken_stream(room):
    work = harness.lasting_work(steps=True)
    crew = crew_of(room, work)
    with Relay(crew.address) as relay:
        join(crew, "w0", relay)
        join(crew, "w1")
        crew.computes(2)
        losses = [relay.lose(UP, report) for report in
                  (GATE_ARRIVED, SAVE_BEGUN, RANKS_GONE, RANKS_UP)]
        room.scale(1).ends_with(0)
        assert all(loss.is_over() for loss in losses)
        # what ranks print goes by the connections that broke, too
        crew.done(work)
    assert "epoch=2 up" in crew.lead.errors
    assert "epoch=3" not in crew.lead.errors
    assert "was lost" not in crew.lead.errors


def a_notice_to_leave_outlives_its_stream(room):
    work = harness.lasting_work(steps=True)
    crew = crew_of(room, work, "--grace", 300)
    with Relay(crew.address) as relay:
        join(crew, "w0")
        join(crew, "w1", relay)
        crew.computes(2)
        losses = relay.lose(UP, NOTICE), relay.lose(DOWN, SAVE)
        crew.tell("w1")
        crew.left("w1")
        assert all(loss.is_over() for loss in losses)
        crew.lead.says("w1 leaves")
        goes_on(crew, work)


def without_a_coordinator_a_notice_ends_with_its_grace(room):
    room.stale = harness.KILLED
    crew = crew_of(room, harness.work_for(60), "--grace", 3)
    join(crew, "w0")
    join(crew, "w1")
    crew.computes(2)
    crew.lead.tell(signal.SIGSTOP)  # it releases nobody
    crew.tell("w0", "w1")
    for hand in crew.hands.values():
        room.wait("it heard", lambda hand=hand:
                  "told to leave" in hand.errors)
    crew.lead.tell(signal.SIGKILL)
    for hand in crew.hands.values():
        hand.ends_with(128 + signal.SIGTERM).says("not released within 3 s")


def a_stream_that_never_has_an_order_does_not_renew_the_patience(room):
    crew = Crew(room, room.job(harness.lasting_work()), 0, "--patience", 3,
                listen=LISTEN)
    with Relay(crew.address) as relay:
        for _ in range(1000):
            relay.lose(DOWN, FIRST_ORDER)
        crew.address = relay.address
        hand = crew.join("w0").ends_with(69).says("not reached for 3 s")
        assert relay.cuts > 1
        assert hand.errors.count("UNAVAILABLE") == 1, hand.errors
    room.run("bellows", "cancel", "heat").ends_with(0)
    crew.lead.ends_with(130)


harness.main(
    a_launch_order_survives_a_broken_stream,
    the_first_save_order_survives_a_broken_stream,
    a_save_order_survives_a_broken_stream,
    a_report_survives_a_broken_stream,
    each_report_of_a_rescale_survives_a_broken_stream,
    a_notice_to_leave_outlives_its_stream,
    without_a_coordinator_a_notice_ends_with_its_grace,
    a_stream_that_never_has_an_order_does_not_renew_the_patience,
)
