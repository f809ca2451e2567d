-- Version 3. docs/database.md explains the tables. Names of outcomes and stages are those of
-- tilewright/trial.hpp; times are microseconds of one call; moments are seconds since 1970, UTC.

-- Identities: rows are equal if all their columns are equal; they never change.
CREATE TABLE device (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  compute_capability INTEGER NOT NULL,
  partition TEXT NOT NULL,
  sm_count INTEGER NOT NULL,
  l2_bytes INTEGER NOT NULL,
  shared_bytes_per_block INTEGER NOT NULL,
  shared_bytes_per_sm INTEGER NOT NULL,
  reserved_shared_bytes INTEGER NOT NULL,
  registers_per_block INTEGER NOT NULL,
  registers_per_sm INTEGER NOT NULL,
  max_threads_per_block INTEGER NOT NULL,
  max_threads_per_sm INTEGER NOT NULL,
  max_blocks_per_sm INTEGER NOT NULL,
  warp_size INTEGER NOT NULL,
  max_block_x INTEGER NOT NULL,
  max_block_y INTEGER NOT NULL,
  max_block_z INTEGER NOT NULL,
  max_grid_x INTEGER NOT NULL,
  max_grid_y INTEGER NOT NULL,
  max_grid_z INTEGER NOT NULL,
  UNIQUE (name, compute_capability, kind, partition, sm_count, l2_bytes, shared_bytes_per_block,
          shared_bytes_per_sm, reserved_shared_bytes, registers_per_block, registers_per_sm,
          max_threads_per_block, max_threads_per_sm, max_blocks_per_sm, warp_size, max_block_x,
          max_block_y, max_block_z, max_grid_x, max_grid_y, max_grid_z)
) STRICT;

CREATE TABLE environment (
  id INTEGER PRIMARY KEY,
  driver TEXT NOT NULL,
  runtime TEXT NOT NULL,
  compiler TEXT NOT NULL,
  tool TEXT NOT NULL,
  UNIQUE (driver, runtime, compiler, tool)
) STRICT;

CREATE TABLE implementation (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,                -- gemm/tiled
  epoch INTEGER NOT NULL,            -- the author's
  UNIQUE (name, epoch)
) STRICT;

CREATE TABLE problem (
  id INTEGER PRIMARY KEY,
  operation TEXT NOT NULL,
  settings TEXT NOT NULL,            -- canonical JSON, every dimension and choice
  UNIQUE (operation, settings)
) STRICT;

CREATE TABLE policy (
  id INTEGER PRIMARY KEY,
  cache TEXT NOT NULL,               -- warm, cold
  submission TEXT NOT NULL,          -- graph, call
  UNIQUE (cache, submission)
) STRICT;

CREATE TABLE sweep (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,         -- the same in every store
  request_hash TEXT NOT NULL,        -- of everything asked for: equal hash, same sweep
  operation TEXT NOT NULL,
  problem INTEGER NOT NULL REFERENCES problem (id),
  device INTEGER NOT NULL REFERENCES device (id),
  policy INTEGER NOT NULL REFERENCES policy (id),
  environment INTEGER NOT NULL REFERENCES environment (id),
  filter TEXT NOT NULL,              -- text of --where, empty: none
  strategy TEXT NOT NULL,
  budget INTEGER NOT NULL,
  seed INTEGER NOT NULL,             -- 64 bits; shown negative from 2^63 on
  started INTEGER NOT NULL,
  finished INTEGER,                  -- NULL: not finished
  rigour INTEGER,                    -- set with `finished`: 0 filtered, 1 screened, 2 with finals
  origin TEXT NOT NULL CHECK (origin IN ('own', 'import')),
  report TEXT NOT NULL,              -- JSON
  CHECK ((finished IS NULL) = (rigour IS NULL))
) STRICT;
CREATE INDEX sweep_by_request ON sweep (request_hash);
CREATE INDEX sweep_by_subject ON sweep (problem, device, policy);

-- What each sweep saw of its implementations, in report order.
CREATE TABLE sweep_implementation (
  sweep INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  implementation INTEGER NOT NULL REFERENCES implementation (id),
  source_hash TEXT NOT NULL,
  space_hash TEXT NOT NULL,
  default_configuration TEXT NOT NULL,  -- canonical JSON
  PRIMARY KEY (sweep, position),
  UNIQUE (implementation, sweep)
) STRICT, WITHOUT ROWID;

-- Every outcome, append only.
CREATE TABLE trial (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id),
  implementation INTEGER NOT NULL REFERENCES implementation (id),
  configuration TEXT NOT NULL,       -- canonical JSON
  outcome TEXT NOT NULL,
  stage TEXT NOT NULL,
  rule TEXT NOT NULL,
  message TEXT NOT NULL,
  code_hash TEXT NOT NULL,
  compile_ms REAL NOT NULL,
  registers INTEGER,                 -- resources: all NULL, or all set with -1 for unknown
  shared_bytes INTEGER,
  spill_bytes INTEGER,
  stack_bytes INTEGER,
  threads INTEGER,
  blocks_per_sm INTEGER,
  occupancy REAL,
  outputs_checked INTEGER,           -- verification: NULL when there was none
  outputs_total INTEGER,
  worst_error REAL,                  -- NULL beside outputs_checked: not a number
  worst_ratio REAL,
  input_seed INTEGER,
  samples_us TEXT,                   -- JSON array, raw, in order taken
  median_us REAL,
  lower_us REAL,
  upper_us REAL,
  minimum_us REAL,
  calls_per_sample INTEGER,
  sm_mhz REAL,
  interval_low_us REAL,              -- 95 % interval of the median
  interval_high_us REAL,
  rounds INTEGER,
  UNIQUE (sweep, implementation, configuration, stage),
  CHECK ((outcome = 'measured') = (samples_us IS NOT NULL)),
  CHECK ((samples_us IS NULL) = (median_us IS NULL))
) STRICT;
CREATE TRIGGER trial_is_append_only BEFORE UPDATE ON trial
BEGIN
  SELECT RAISE(ABORT, 'trials are append only');
END;

-- Derived from the tables above; may be emptied and derived again.
CREATE TABLE best (
  implementation INTEGER NOT NULL REFERENCES implementation (id),
  device INTEGER NOT NULL REFERENCES device (id),
  problem INTEGER NOT NULL REFERENCES problem (id),
  policy INTEGER NOT NULL REFERENCES policy (id),
  trial INTEGER NOT NULL REFERENCES trial (id),
  runner_up INTEGER REFERENCES trial (id),
  default_trial INTEGER REFERENCES trial (id),
  measured INTEGER NOT NULL,         -- configurations with a time in that sweep
  tie INTEGER NOT NULL CHECK (tie IN (0, 1)),
  PRIMARY KEY (implementation, device, problem, policy)
) STRICT, WITHOUT ROWID;
CREATE INDEX best_by_subject ON best (problem, device, policy);

-- Also derived: the portable configurations of an operation on a device, the best first.
CREATE TABLE portable (
  operation TEXT NOT NULL,
  device INTEGER NOT NULL REFERENCES device (id),
  position INTEGER NOT NULL,
  implementation INTEGER NOT NULL REFERENCES implementation (id),
  configuration TEXT NOT NULL,       -- canonical JSON
  mean_ratio REAL NOT NULL,          -- times the winner's time, geometric mean over tuned problems
  measured INTEGER NOT NULL,         -- in so many of them it has a time
  tuned INTEGER NOT NULL,
  shared_bytes INTEGER NOT NULL,     -- per block, the most of its trials; -1: not known
  PRIMARY KEY (operation, device, position)
) STRICT, WITHOUT ROWID;

-- What a recheck found out about a trial in best, append only.
CREATE TABLE confirmation (
  id INTEGER PRIMARY KEY,
  trial INTEGER NOT NULL REFERENCES trial (id),
  environment INTEGER NOT NULL REFERENCES environment (id),
  at INTEGER NOT NULL,
  verdict TEXT NOT NULL,             -- holds, moved, failed, same_code, code_changed
  message TEXT NOT NULL,
  code_hash TEXT NOT NULL,
  median_us REAL,                    -- all NULL where nothing was measured
  interval_low_us REAL,
  interval_high_us REAL,
  sm_mhz REAL
) STRICT;
CREATE INDEX confirmation_by_trial ON confirmation (trial);

-- Configurations that must not answer or be tried again, blocked by hand or after a fault.
CREATE TABLE blocked (
  implementation INTEGER NOT NULL REFERENCES implementation (id),
  device INTEGER NOT NULL REFERENCES device (id),
  configuration TEXT NOT NULL,
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (implementation, device, configuration)
) STRICT, WITHOUT ROWID;

-- Problems that were looked up and not answered exactly.
CREATE TABLE wanted (
  problem INTEGER NOT NULL REFERENCES problem (id),
  device INTEGER NOT NULL REFERENCES device (id),
  policy INTEGER NOT NULL REFERENCES policy (id),
  hits INTEGER NOT NULL,
  rung INTEGER NOT NULL,
  last_asked INTEGER NOT NULL,
  PRIMARY KEY (problem, device, policy)
) STRICT, WITHOUT ROWID;
