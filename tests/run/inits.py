#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The suite of what a process 1 must do, proven on others.  args: BIN KIN BROKEN

tini, dumb-init and catatonit do what they promise; an init that is broken on
purpose fails where it is broken, and nowhere else.  Our own are not such inits:
pid1.py has what is asked of them.
"""

import os
import shutil
import sys

import harness
from init_suite import BEHAVIOURS, TSTP, TTIN, TTOU, Init

KIN = os.path.abspath(sys.argv.pop(2))
BROKEN = os.path.abspath(sys.argv.pop(2))
SHORT = 3  # seconds: for what never comes

OTHERS = [
    Init("tini", ["tini", "--"], tty="first"),
    Init("tini -g", ["tini", "-g", "--"], group=True, tty="first"),
    Init("dumb-init", ["dumb-init", "--"], group=True, inherits=False,
         tty="stops"),
    Init("dumb-init -c", ["dumb-init", "-c", "--"], inherits=False),
    Init("catatonit", ["catatonit", "--"], tty="kept",
         blocks=(TSTP, TTIN, TTOU)),
]

# fault -> the behaviours that show it
FAULTS = {
    "none": [],
    "reaps-nobody": ["orphans_are_reaped_and_are_not_taken_for_the_child",
                     "orphans_that_come_and_go_are_reaped"],
    "reaps-one": ["orphans_are_reaped_and_are_not_taken_for_the_child"],
    "ends-with-any": ["orphans_are_reaped_and_are_not_taken_for_the_child",
                      "orphans_that_come_and_go_are_reaped"],
    "forwards-nothing": ["signals_are_passed_on",
                         "the_group_hears_them_if_that_is_promised",
                         "what_a_terminal_sends_is_treated_as_promised"],
    "forwards-to-one": ["the_group_hears_them_if_that_is_promised"],
    "hides-the-code": ["exit_codes_are_passed_on",
                       "orphans_are_reaped_and_are_not_taken_for_the_child"],
    "hides-the-signal": ["death_by_a_signal_is_128_and_its_number",
                         "a_child_that_ignores_sigterm_is_waited_for"],
    "keeps-the-mask": ["the_child_starts_as_the_init_was_started"],
    "ends-on-sigterm": ["signals_are_passed_on",
                        "the_group_hears_them_if_that_is_promised",
                        "a_child_that_ignores_sigterm_is_waited_for"],
}
# A race decides whether these see it, so nothing is said of them.
EITHER = {"reaps-one": ["orphans_that_come_and_go_are_reaped"]}


def named(name, fn):
    fn.__name__ = name
    return fn


def of_others(init, behaviour):
    def test(room):
        path = shutil.which(init.words[0])
        if not path:
            raise harness.Skip(f"{init.words[0]} is not installed")
        behaviour(room, init, KIN)
    return named(f"{init.name}: {behaviour.__name__}", test)


def of_broken(fault, behaviour):
    shown = behaviour.__name__ in FAULTS[fault]
    init = Init(fault, [BROKEN, fault], group=True, codes=[0, 1, 127, 255],
                patience=SHORT if shown else harness.PATIENCE)

    def test(room):
        if not shown:
            behaviour(room, init, KIN)
            return
        try:
            behaviour(room, init, KIN)
        except (AssertionError, ProcessLookupError, IndexError):
            room.clear()
            return
        raise AssertionError(f"an init that {fault} has passed")
    return named(f"broken_init {fault}: {behaviour.__name__}"
                 f"{' shows it' if shown else ''}", test)


harness.main(
    *(of_others(init, behaviour) for init in OTHERS
      for behaviour in BEHAVIOURS),
    *(of_broken(fault, behaviour) for fault in FAULTS
      for behaviour in BEHAVIOURS
      if behaviour.__name__ not in EITHER.get(fault, [])),
)
