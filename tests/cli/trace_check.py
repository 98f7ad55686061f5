# SPDX-License-Identifier: BSD-3-Clause
"""Check a trace file against its database.

usage: trace_check.py TRACE DATABASE     prints "N attempts, N phases, N lost, N again, N threads"
"""
import collections
import json
import sqlite3
import sys

trace = json.load(open(sys.argv[1], encoding="utf-8"))
database = sqlite3.connect(sys.argv[2])
slices = collections.defaultdict(list)
names = {}
instants = []
for event in trace["traceEvents"]:
    place = event["pid"], event["tid"]
    if event["ph"] == "X":
        slices[place].append(event)
    elif event["ph"] == "i":
        instants.append(event)
    elif event["ph"] == "M":
        names[event["name"], *place] = event["args"]["name"]
    else:
        sys.exit(f"an unknown kind of event: {event}")


def nanoseconds(event):
    begin = round(event["ts"] * 1000)
    return begin, begin + round(event["dur"] * 1000)


attempts, n_phases = {}, 0
for place, events in slices.items():
    if ("thread_name", *place) not in names or ("process_name", place[0], 0) not in names:
        sys.exit(f"no name: {place}")
    last = None
    for event in events:
        begin, end = nanoseconds(event)
        if "sum_s" in event["args"]:
            n_phases += 1
            if not (last[0] <= last[2] <= begin <= end <= last[1]):
                sys.exit(f"a phase outside its attempt, or before the phase before: {event}")
            last[2] = end
            continue
        if last and begin < last[1]:
            sys.exit(f"slices overlap: {event}")
        last = [begin, end, begin]
        if "attempt" in event["args"]:
            attempts[event["args"]["attempt_id"]] = event, names["process_name", place[0], 0], place[1]

query = """select attempt_id, row_number() over (partition by trial_id order by attempt_id), trial_id, config_id, rank,
    host, outcome, started, finished, error from attempt join trial using (trial_id)"""
rows = database.execute(query.replace(" error ", " attempt.error ")).fetchall()
zero = trace["otherData"]["zero of ts, in Unix seconds"]
for attempt, number, trial, config, rank, host, outcome, started, finished, error in rows:
    event, its_host, thread = attempts[attempt]
    args = event["args"]
    if (event["name"], args["attempt"], args["outcome"], its_host, thread % 1000000, args.get("error")) != (
            f"t{trial} c{config}", number, outcome, host, rank, error):
        sys.exit(f"attempt {attempt} differs: {event}")
    if finished and abs(event["dur"] - 1e6 * (finished - started)) > 200:
        sys.exit(f"attempt {attempt} has another length: {event}")
    if abs(event["ts"] - 1e6 * (started - zero)) > 200:
        sys.exit(f"attempt {attempt} begins at another time: {event}")
if len(rows) != len(attempts):
    sys.exit(f"{len(rows)} attempts, of which the trace has {len(attempts)}")
lost = sum("lost" in event["name"] and event["s"] == "t" for event in instants)
again = sum("again" in event["name"] for event in instants)
print(f"{len(attempts)} attempts, {n_phases} phases, {lost} lost, {again} again, {len(slices)} threads")
