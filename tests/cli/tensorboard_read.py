# SPDX-License-Identifier: BSD-3-Clause
"""Read a log folder of TensorBoard with Python's protobuf, and compare it with its database.

usage: tensorboard_read.py FOLDER DATABASE SWEEP     prints "N runs, N scalars, N groups"

The messages are declared here once more, with the numbers of TensorFlow's and TensorBoard's .proto files,
and Value is the library's own. CRC-32C is computed bit by bit.
"""
import json
import math
import pathlib
import re
import sqlite3
import struct
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, struct_pb2

F = descriptor_pb2.FieldDescriptorProto
TYPES = {"double": F.TYPE_DOUBLE, "float": F.TYPE_FLOAT, "int64": F.TYPE_INT64, "int32": F.TYPE_INT32,
         "string": F.TYPE_STRING, "bytes": F.TYPE_BYTES, "bool": F.TYPE_BOOL}
# message: fields "NUMBER TYPE NAME", with * if repeated and | if in the oneof. An enum is read as an int32.
MESSAGES = {
    "Event": "1 double wall_time; 2 int64 step; 3 |string file_version; 5 |Summary summary",
    "Summary": "1 *SummaryValue value",
    "SummaryValue": "1 string tag; 2 |float simple_value; 8 |bytes tensor; 9 SummaryMetadata metadata",
    "SummaryMetadata": "1 PluginData plugin_data; 2 string display_name; 4 int32 data_class",
    "PluginData": "1 string plugin_name; 2 bytes content",
    "HParamsPluginData": "1 int32 version; 2 |Experiment experiment; 3 |SessionStartInfo session_start_info;"
                         "4 |SessionEndInfo session_end_info",
    "Experiment": "6 string name; 1 string description; 2 string user; 3 double time_created_secs;"
                  "4 *HParamInfo hparam_infos; 5 *MetricInfo metric_infos",
    "HParamInfo": "1 string name; 2 string display_name; 3 string description; 4 int32 type;"
                  "5 |ListValue domain_discrete; 6 |Interval domain_interval; 7 bool differs",
    "Interval": "1 double min_value; 2 double max_value",
    "MetricInfo": "1 MetricName name; 3 string display_name; 4 string description; 5 int32 dataset_type",
    "MetricName": "1 string group; 2 string tag",
    "SessionStartInfo": "1 *Entry hparams; 2 string model_uri; 3 string monitor_url; 4 string group_name;"
                        "5 double start_time_secs",
    "Entry": "1 string key; 2 Value value",
    "SessionEndInfo": "1 int32 status; 2 double end_time_secs",
}


def declare():
    file = descriptor_pb2.FileDescriptorProto(name="read.proto", package="read", syntax="proto3",
                                              dependency=[struct_pb2.DESCRIPTOR.name])
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field in fields.split(";"):
            number, type_name, field_name = field.split()
            into = message.field.add(name=field_name, number=int(number), label=F.LABEL_OPTIONAL)
            if type_name[0] == "*":
                into.label = F.LABEL_REPEATED
            if type_name[0] == "|":
                into.oneof_index = 0
                if not message.oneof_decl:
                    message.oneof_decl.add(name="one")
            type_name = type_name.lstrip("*|")
            if type_name in TYPES:
                into.type = TYPES[type_name]
            else:
                into.type = F.TYPE_MESSAGE
                into.type_name = f".google.protobuf.{type_name}" if type_name.endswith("Value") and hasattr(
                    struct_pb2, type_name) else f".read.{type_name}"
    pool = descriptor_pool.Default()
    pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    return {name: factory.GetPrototype(pool.FindMessageTypeByName(f"read.{name}")) for name in MESSAGES}


CLASSES = declare()


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def no_unknown_fields(message, where):
    if message.UnknownFields():
        sys.exit(f"{where}: unknown fields in {message}")


def events_of(path):
    data, at = path.read_bytes(), 0
    while at < len(data):
        (n, crc) = struct.unpack_from("<QI", data, at)
        if crc != masked_crc(data[at:at + 8]):
            sys.exit(f"{path}: the CRC of a length is wrong at {at}")
        message = data[at + 12:at + 12 + n]
        if struct.unpack_from("<I", data, at + 12 + n)[0] != masked_crc(message):
            sys.exit(f"{path}: the CRC of a message is wrong at {at}")
        at += 16 + n
        event = CLASSES["Event"].FromString(message)
        no_unknown_fields(event, path)
        yield event


def read_run(path):
    run = {"scalars": {}, "plugin": {}}
    for i, event in enumerate(events_of(path)):
        if (i == 0) != (event.WhichOneof("one") == "file_version"):
            sys.exit(f"{path}: the version must be the first event, and no other")
        if i == 0 and event.file_version != "brain.Event:2":
            sys.exit(f"{path}: version {event.file_version}")
        for value in event.summary.value:
            no_unknown_fields(value, path)
            if value.HasField("metadata"):
                plugin = value.metadata.plugin_data
                content = CLASSES["HParamsPluginData"].FromString(plugin.content)
                no_unknown_fields(content, path)
                if plugin.plugin_name != "hparams" or value.tag != f"_hparams_/{content.WhichOneof('one')}":
                    sys.exit(f"{path}: {value}")
                run["plugin"][content.WhichOneof("one")] = getattr(content, content.WhichOneof("one"))
            else:
                key = value.tag, event.step
                if key in run["scalars"]:
                    sys.exit(f"{path}: {key} twice")
                run["scalars"][key] = value.simple_value
    return run


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: got {str(got)[:500]}, wanted {str(wanted)[:500]}")


def tag_of(split, name):
    return f"final/{split}_{name}" if split else f"final/{name}"


def check_settings(infos, values, words):
    """values: those of each shown setting, in the order of the configurations."""
    expect("settings, the axes first", [info.name for info in infos], list(values))
    for info in infos:
        known, name = values[info.name], info.name
        expect(f"{name}: type", info.type, 1 if name in words else 3)
        expect(f"{name}: differs", info.differs, len(known) > 1)
        if len(known) <= 20:
            expect(f"{name}: values", list(info.domain_discrete), [str(v) if name in words else v for v in known])
        elif name not in words:
            interval = info.domain_interval
            expect(f"{name}: range", (interval.min_value, interval.max_value), (min(known), max(known)))
        else:
            expect(f"{name}: no domain", info.WhichOneof("one"), None)


def main(folder, path, sweep):
    database = sqlite3.connect(path)
    (sweep_id, objective), = database.execute("select sweep_id, objective from sweep where name = ?", [sweep])
    configs = dict(database.execute("select config_id, params from config where sweep_id = ? order by config_id", [sweep_id]))
    keys = {key: None for params in configs.values() for key in json.loads(params)}
    words = {key for params in configs.values() for key, value in json.loads(params).items() if isinstance(value, str)}
    axes = [name for name, in database.execute("select name from axis where sweep_id = ? order by ordinal", [sweep_id])]
    values = {key: list(dict.fromkeys(json.loads(params)[key] for params in configs.values() if key in json.loads(params)))
              for key in [*axes, *(key for key in keys if key not in axes)]}
    values = {key: known for key, known in values.items() if key in axes or len(known) > 1}
    metrics = {tag_of(split, name) for split, name in database.execute(
        "select distinct split, name from metric join trial using (trial_id) join config using (config_id)"
        " where sweep_id = ? and split <> 'test'", [sweep_id])}
    files = {str(file.parent.relative_to(folder)): file for file in pathlib.Path(folder).rglob("*") if file.is_file()}
    n_scalars, groups, experiments = 0, set(), []
    rows = database.execute(
        "select trial_id, config_id, replicate, fold, state, best_epoch from trial join config using (config_id)"
        " where sweep_id = ? and state <> 'pending'", [sweep_id]).fetchall()
    expect("runs", sorted(files), sorted(f"c{row[1]}/r{row[2]}-fold{row[3]}" for row in rows))
    for trial, config, replicate, fold, state, best_epoch in rows:
        name = f"c{config}/r{replicate}-fold{fold}"
        if not files[name].name.startswith("events.out.tfevents."):
            sys.exit(f"{files[name]}: TensorBoard looks for tfevents")
        run = read_run(files[name])
        plugin = run["plugin"]
        params = {key: str(value) if key in words else value for key, value in json.loads(configs[config]).items()
                  if key in values}
        expect(f"{name}: hyperparameters", {
            entry.key: getattr(entry.value, entry.value.WhichOneof("kind"))
            for entry in plugin["session_start_info"].hparams}, params)
        experiments += [plugin["experiment"]] if "experiment" in plugin else []
        expect(f"{name}: group", plugin["session_start_info"].group_name, f"c{config}")
        expect(f"{name}: status", plugin["session_end_info"].status, {"done": 1, "running": 3}.get(state, 2))
        started, finished = database.execute("select started, finished from attempt where trial_id = ?"
                                             " order by attempt_id desc limit 1", [trial]).fetchone()
        expect(f"{name}: times", (plugin["session_start_info"].start_time_secs, plugin["session_end_info"].end_time_secs),
               (started, finished or 0))
        groups.add(config)
        wanted = {}
        has_stop = database.execute("select count(*) from metric where trial_id = ? and split = 'stop'", [trial]).fetchone()[0]
        part = (lambda tag: re.sub("^(val_)?", "stop_", tag)) if has_stop else (lambda tag: tag)
        for split, metric, value in database.execute(
                "select split, name, value from metric where trial_id = ? and split <> 'test'", [trial]):
            wanted[tag_of(split, metric), best_epoch or 0] = float32(value)
        for epoch, train_loss, val_loss, val_value in database.execute(
                "select epoch, train_loss, val_loss, val_value from curve where trial_id = ?", [trial]):
            for tag, value in ("train_loss", train_loss), (part("val_loss"), val_loss), (part(objective), val_value):
                if value is not None and not math.isnan(value):
                    wanted[f"curve/{tag}", epoch] = float32(value)
        expect(f"{name}: scalars", run["scalars"], wanted)
        n_scalars += len(wanted)
    expect("experiments: one, however many runs there are", len(experiments), 1)
    check_settings(experiments[0].hparam_infos, values, words)
    expect("metrics", {info.name.tag for info in experiments[0].metric_infos}, metrics)
    expect("the objective is first", experiments[0].metric_infos[0].display_name, objective)
    print(f"{len(rows)} runs, {n_scalars} scalars, {len(groups)} groups")


if __name__ == "__main__":
    main(*sys.argv[1:])
