/** Who the tests are at the PostgreSQL server that they start; it listens on loopback alone and lives as long as they. */
export const USER = "postgres";
export const PASSWORD = "a-password-of-the-tests";
