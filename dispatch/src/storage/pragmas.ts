/** How long a statement waits for another process's lock; a process that was just killed may still hold it. */
export const BUSY_TIMEOUT_PRAGMA = "pragma busy_timeout = 5000;";

/**
 * Settings of the hub's connection: a commit is on disk when it returns, and foreign keys are enforced. A commit never copies
 * the log into the database; {@link Checkpoints} does.
 */
export const HUB_PRAGMAS = `
  ${BUSY_TIMEOUT_PRAGMA}
  pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000;
  pragma journal_size_limit = 67108864; pragma wal_autocheckpoint = 0;
`;
