-- SPDX-License-Identifier: BSD-3-Clause
-- The results database of espalier. README.md in this folder explains every column and unit.
--
-- The program embeds this file at build time. It creates the views `trials` and `leaderboard` itself
-- (src/store/views.c), because their columns follow the axes of the sweeps in the file. An IN list has
-- at most two members: for a longer one SQLite creates a temporary table with each row written.
-- Times are Unix seconds, UTC. The application_id is "ESPL".
PRAGMA application_id = 1163087948;
PRAGMA user_version = 6;

CREATE TABLE sweep (
    sweep_id    INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    objective   TEXT NOT NULL,
    direction   TEXT NOT NULL CHECK (direction IN ('max', 'min')),
    task        TEXT NOT NULL CHECK (task IN ('regression', 'classification') OR task = 'none'),
    file        TEXT NOT NULL,
    ini         TEXT NOT NULL,
    data_digest TEXT NOT NULL,
    samples     INTEGER NOT NULL,
    features    INTEGER NOT NULL,
    classes     INTEGER NOT NULL,
    planned     INTEGER,
    parts       TEXT CHECK (parts IN ('drawn', 'given')),
    created     REAL NOT NULL,
    updated     REAL NOT NULL
) STRICT;

CREATE TABLE axis (
    sweep_id INTEGER NOT NULL REFERENCES sweep,
    ordinal  INTEGER NOT NULL,
    name     TEXT NOT NULL,
    levels   TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (sweep_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE config (
    config_id INTEGER PRIMARY KEY,
    sweep_id  INTEGER NOT NULL REFERENCES sweep,
    ordinal   INTEGER NOT NULL,
    key       TEXT NOT NULL,
    params    TEXT NOT NULL,
    flops     REAL,
    UNIQUE (sweep_id, key)
) STRICT;

CREATE TABLE trial (
    trial_id   INTEGER PRIMARY KEY,
    config_id  INTEGER NOT NULL REFERENCES config,
    replicate  INTEGER NOT NULL,
    fold       INTEGER NOT NULL,
    key        TEXT NOT NULL,
    state      TEXT NOT NULL DEFAULT 'pending'
               CHECK (state IN ('done', 'diverged') OR state IN ('pending', 'running') OR state = 'failed'
               OR state IN ('held', 'stopped')),
    value      REAL,
    epochs_run INTEGER,
    best_epoch INTEGER,
    seconds    REAL,
    predicted  REAL,
    flops      REAL,
    peak_bytes INTEGER,
    attempts   INTEGER NOT NULL DEFAULT 0,
    error      TEXT,
    UNIQUE (config_id, replicate, fold)
) STRICT;

CREATE TABLE metric (
    trial_id INTEGER NOT NULL REFERENCES trial,
    split    TEXT NOT NULL CHECK (split IN ('train', 'val') OR split IN ('test', 'stop')
             OR split = ''),
    name     TEXT NOT NULL,
    value    REAL NOT NULL,
    PRIMARY KEY (trial_id, split, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE curve (
    trial_id   INTEGER NOT NULL REFERENCES trial,
    epoch      INTEGER NOT NULL,
    train_loss REAL,
    val_loss   REAL,
    val_value  REAL,
    seconds    REAL NOT NULL,
    PRIMARY KEY (trial_id, epoch)
) STRICT, WITHOUT ROWID;

-- What programs report for an epoch beside the columns of curve.
CREATE TABLE curve_metric (
    trial_id INTEGER NOT NULL REFERENCES trial,
    epoch    INTEGER NOT NULL,
    name     TEXT NOT NULL,
    value    REAL NOT NULL,
    PRIMARY KEY (trial_id, epoch, name)
) STRICT, WITHOUT ROWID;

-- The score of a trial at a rung of the search, before its end; NULL: it failed or diverged.
CREATE TABLE rung (
    trial_id INTEGER NOT NULL REFERENCES trial,
    rung     INTEGER NOT NULL,
    value    REAL,
    PRIMARY KEY (trial_id, rung)
) STRICT, WITHOUT ROWID;

-- The decisions of the search, in the order of steps.
CREATE TABLE decision (
    sweep_id  INTEGER NOT NULL REFERENCES sweep,
    step      INTEGER NOT NULL,
    config_id INTEGER NOT NULL REFERENCES config,
    action    TEXT NOT NULL CHECK (action IN ('propose', 'keep') OR action = 'stop'),
    rung      INTEGER,
    value     REAL,
    threshold REAL,
    PRIMARY KEY (sweep_id, step, config_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE timing (
    trial_id INTEGER NOT NULL REFERENCES trial,
    phase    TEXT NOT NULL,
    seconds  REAL NOT NULL,
    PRIMARY KEY (trial_id, phase)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    session_id  INTEGER PRIMARY KEY,
    command     TEXT NOT NULL,
    version     TEXT NOT NULL,
    host        TEXT NOT NULL,
    pid         INTEGER NOT NULL,
    realm       TEXT,
    born        INTEGER,
    job         TEXT,
    inode       INTEGER,
    ranks       INTEGER NOT NULL,
    cpu         TEXT,
    mpi         TEXT,
    blas        TEXT,
    blas_kernel TEXT,
    started     REAL NOT NULL,
    finished    REAL,
    outcome     TEXT NOT NULL DEFAULT 'running'
) STRICT;

CREATE TABLE attempt (
    attempt_id INTEGER PRIMARY KEY,
    trial_id   INTEGER NOT NULL REFERENCES trial,
    session_id INTEGER REFERENCES session,
    rank       INTEGER NOT NULL,
    host       TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    started    REAL NOT NULL,
    finished   REAL CHECK (finished IS NOT NULL OR outcome IN ('running', 'lost')),
    outcome    TEXT NOT NULL CHECK (outcome IN ('done', 'diverged') OR outcome IN ('running', 'stopped')
               OR outcome IN ('failed', 'crashed') OR outcome IN ('lost', 'held')),
    error      TEXT
) STRICT;

-- The ranks of attempts that ran on several, the one in attempt.rank too.
CREATE TABLE member (
    attempt_id INTEGER NOT NULL REFERENCES attempt,
    rank       INTEGER NOT NULL,
    host       TEXT NOT NULL,
    PRIMARY KEY (attempt_id, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoint (
    trial_id  INTEGER PRIMARY KEY REFERENCES trial,
    epoch     INTEGER NOT NULL,
    remaining REAL NOT NULL,
    seconds   REAL NOT NULL,
    state     BLOB NOT NULL
) STRICT;

CREATE TABLE model (
    trial_id    INTEGER PRIMARY KEY REFERENCES trial,
    hash        TEXT NOT NULL,
    safetensors BLOB NOT NULL
) STRICT;

-- The last bytes of what a program printed.
CREATE TABLE log (
    trial_id INTEGER PRIMARY KEY REFERENCES trial,
    bytes    INTEGER NOT NULL,
    tail     BLOB NOT NULL
) STRICT;

-- Files that a program left and that are kept, in the folder tN beside the database.
CREATE TABLE file (
    trial_id INTEGER NOT NULL REFERENCES trial,
    name     TEXT NOT NULL,
    bytes    INTEGER NOT NULL,
    PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;

-- Of models that are kept for good: one row for each sample of the trial's validation part.
CREATE TABLE prediction (
    trial_id      INTEGER NOT NULL REFERENCES trial,
    sample        INTEGER NOT NULL,
    id            TEXT NOT NULL,
    sample_group  TEXT,
    observed      ANY NOT NULL,
    predicted     ANY NOT NULL,
    probabilities TEXT,
    scores        TEXT,
    PRIMARY KEY (trial_id, sample)
) STRICT, WITHOUT ROWID;

CREATE TABLE traffic (
    session_id INTEGER NOT NULL REFERENCES session,
    rank       INTEGER NOT NULL,
    host       TEXT NOT NULL,
    activity   TEXT NOT NULL,
    size       INTEGER NOT NULL,
    calls      INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    seconds    REAL NOT NULL,
    PRIMARY KEY (session_id, rank, activity, size)
) STRICT, WITHOUT ROWID;

CREATE TABLE data_fact (
    sweep_id INTEGER NOT NULL REFERENCES sweep,
    topic    TEXT NOT NULL,
    ordinal  INTEGER NOT NULL,
    name     TEXT NOT NULL,
    value    ANY,
    PRIMARY KEY (sweep_id, topic, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX attempt_of_trial ON attempt (trial_id);
-- Few rows, queried often. SQLite uses this index only if a query repeats its WHERE.
CREATE INDEX attempt_without_result ON attempt (outcome, trial_id)
    WHERE outcome NOT IN ('done', 'diverged') AND outcome <> 'failed';
