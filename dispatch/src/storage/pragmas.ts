/** How long a statement waits for another process's lock; the process killed a moment ago may still hold it. */
export const BUSY_TIMEOUT_PRAGMA = "pragma busy_timeout = 5000;";

/**
 * Of the hub's connection: what is committed is on the disk, and rows name only what is there. A commit never copies the log into
 * the database by the way; {@link Checkpoints} does.
 */
export const HUB_PRAGMAS = `
  ${BUSY_TIMEOUT_PRAGMA}
  pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000;
  pragma journal_size_limit = 67108864; pragma wal_autocheckpoint = 0;
`;
