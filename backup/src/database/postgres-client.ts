import { NestError } from "@nest/kit";
import { Client, type ClientConfig } from "pg";

const CONNECT_TIMEOUT_MS = 10_000;
/** The engine's numbers for its types, of those that are more than text to us. */
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
 * One connection to the database that `NEST_DATABASE_URL` names. Integers come as bigints, bytes as buffers, everything else that is
 * no number and no boolean as the engine's own text.
 *
 * @throws NestError `database_unreachable`, never with the address: it holds the password.
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
    // A connection that breaks later fails the query that is under way.
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

/** The engine's code where it gave one: its sentences may hold values of rows. */
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
