/** The role and password of the tests at the PostgreSQL server that they start, which listens on loopback only. */
export const USER = "postgres";
export const PASSWORD = "a-password-of-the-tests";
