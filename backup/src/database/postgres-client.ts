import { NestError } from "@nest/kit";
import { Client, type ClientConfig } from "pg";

const CONNECT_TIMEOUT_MS = 10_000;
/** PostgreSQL's type numbers, for the types that are not read as text. */
const OID = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, oid: 26, float4: 700, float8: 701 } as const;

type Parser = (text: string) => unknown;

const PARSERS: Readonly<Record<number, Parser>> = {
  [OID.bool]: (text) => text === "t",
  [OID.bytea]: (text) => Buffer.from(text.slice(2), "hex"),
  [OID.int2]: BigInt,
  [OID.int4]: BigInt,
  [OID.int8]: BigInt,
  [OID.oid]: BigInt,
  [OID.float4]: Number,
  [OID.float8]: Number,
};

/**
 * Opens one connection to the database of `NEST_DATABASE_URL`. Integers are read as bigints and bytes as buffers; every other
 * type except numbers and booleans is read as PostgreSQL's own text.
 *
 * @throws NestError `database_unreachable`; the address is never in it, because it holds the password.
 */
export async function connectPostgres(url: string): Promise<Client> {
  const getTypeParser = (oid: number) => PARSERS[oid] ?? ((text: string) => text);
  const config: ClientConfig = {
    connectionString: url,
    application_name: "nest-backup",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: { getTypeParser: getTypeParser as NonNullable<ClientConfig["types"]>["getTypeParser"] },
  };
  let client: Client | undefined;
  try {
    client = new Client(config);
    // An error of an idle connection must not end the process; the next query fails with it.
    client.on("error", () => {});
    await client.connect();
    await client.query("set timezone = 'UTC'; set datestyle = 'ISO'; set extra_float_digits = 3");
    return client;
  } catch (thrown) {
    await client?.end().catch(() => {});
    throw new NestError(
      "database_unreachable",
      `the database of NEST_DATABASE_URL cannot be used: ${reasonOf(thrown)}`,
      {
        hint: "check host, name, user and password in NEST_DATABASE_URL",
      },
    );
  }
}

/** A reason made from PostgreSQL's error code: its messages may contain values of rows. */
export function reasonOf(thrown: unknown): string {
  const { code, message } = (thrown ?? {}) as { readonly code?: string; readonly message?: string };
  const words: Readonly<Record<string, string>> = {
    "28P01": "the password is wrong",
    "28000": "the user is not admitted",
    "3D000": "there is no such database",
    "42501": "the user may not do this",
    "53100": "its disk is full",
    ECONNREFUSED: "nothing answers there",
    ENOTFOUND: "there is no such host",
  };
  if (code !== undefined) return words[code] ?? `error ${code}`;
  if (/timeout|timed out/i.test(message ?? "")) return "it does not answer";
  return /terminated|closed/i.test(message ?? "") ? "the connection broke off" : "the address is not valid";
}
