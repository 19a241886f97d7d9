import { z } from "zod";

const ENTRY = /^\s*[A-Za-z0-9][A-Za-z0-9_-]{0,99}\s*(?::\s*(?:read|read-write|merger|owner)\s*)?$/;

/** An entry of `dashboard.authorized_users`: `<login>:<role>`, or a login alone. */
export const userEntry = z
  .string("must be text such as ada:owner, without a space after the colon")
  .regex(ENTRY, "must be a login, or login:role with one of the roles read, read-write, merger, owner");
