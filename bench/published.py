# SPDX-License-Identifier: Apache-2.0
"""The workloads of the published application, "Dynamic Resource Management for
Cloud-native Bulk Synchronous Parallel Applications": a series for each class of
stress-ng."""

import csv
import struct

AMBIENT = "ambient_temperature_system_failure_"
SERIES = {"affinity": "nyc_taxi_1", "atomic": "nyc_taxi_2",
          "bsearch": "nyc_taxi_3", "cap": "nyc_taxi_4",
          "chmod": "art_daily_small_noise", "memcpy": AMBIENT + "1",
          "vecmath": AMBIENT + "2", "zero": AMBIENT + "3"}
# How the series become workloads of 10 to 50.
SCALE = {"first": -1019, "scale": {"low": 10, "high": 50, "rows": 1000},
         "usual": 30}


def single(text):
    """The number in single precision, as the authors' program reads it."""
    return struct.unpack("f", struct.pack("f", float(text)))[0]


def write_series(source, path):
    with open(source) as file, open(path, "w") as out:
        for row in list(csv.reader(file))[1:]:
            out.write(f"{single(row[-1])!r}\n")
