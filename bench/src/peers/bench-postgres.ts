/** How the bench runs PostgreSQL: as careful with its disk as in earnest, with the memory a small server would be given. */
export const benchPostgres = {
  durable: true,
  settings: ["shared_buffers=512MB", "max_wal_size=4GB"],
} as const;
