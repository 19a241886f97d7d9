import { sameSecret, tokenDigest } from "@nest/auth";
import { type CommandBatcher, changeSetting, type Ledger } from "@nest/dispatch";
import { type Clock, NestError, type Random } from "@nest/kit";
import { apiTokens, tokenScopes } from "@nest/protocol";
import { z } from "zod";

/** What is kept of a token: its digest, never the token. */
const ApiTokenRecord = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(tokenScopes),
  digest: z.string(),
  /** The admin who made it, with the code host's number of their account where the sign-in told it. */
  madeBy: z.string(),
  madeByAccount: z.number().optional(),
  madeAt: z.number(),
  /** Absent: it has no end. */
  endsAt: z.number().optional(),
});
export type ApiTokenRecord = z.infer<typeof ApiTokenRecord>;

export interface ApiTokenDraft {
  readonly name: string;
  readonly scope: ApiTokenRecord["scope"];
  /** How long it works; undefined: until it is revoked. */
  readonly days: number | undefined;
  readonly madeBy: string;
  readonly madeByAccount: number | undefined;
}

export interface ApiTokenDeps {
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly clock: Clock;
  readonly random: Random;
}

/** What the names of the settings begin with that hold tokens, and that hold when each was used last. */
export const TOKEN_SETTING = "api-token:";
const USED_SETTING = "api-token-used:";

const DAY_MS = 24 * 3_600_000;
/** The last use is written at most this often: a script that asks without a pause writes nothing more. */
const USED_EVERY_MS = 60_000;
/** More tokens than anybody can keep an eye on. */
const MOST_TOKENS = 200;
const SECRET_BYTES = 32;
const ID_BYTES = 5;

/** The hub's API tokens: settings of its ledger, so that every replica knows them, and a backup holds them. */
export class ApiTokens {
  readonly #deps: ApiTokenDeps;
  /** When a use was handed to the ledger last, by token: further uses until then write nothing. */
  readonly #written = new Map<string, number>();

  constructor(deps: ApiTokenDeps) {
    this.#deps = deps;
  }

  /** The token that was sent, unless it is none of this hub, revoked or at its end. */
  find(sent: string): ApiTokenRecord | undefined {
    const [id = ""] = sent.slice(apiTokens.TOKEN_PREFIX.length).split("_");
    const record = this.#read(id);
    if (record === undefined || !sameSecret(tokenDigest(sent), record.digest)) return undefined;
    return this.hasEnded(record) ? undefined : record;
  }

  hasEnded({ endsAt }: ApiTokenRecord): boolean {
    return endsAt !== undefined && this.#deps.clock.now() >= endsAt;
  }

  /** Every token that was not revoked, newest first. */
  all(): readonly ApiTokenRecord[] {
    return this.#deps.ledger
      .settingsOf(TOKEN_SETTING)
      .flatMap(([, value]) => ApiTokenRecord.safeParse(value).data ?? [])
      .sort((one, other) => other.madeAt - one.madeAt || other.id.localeCompare(one.id));
  }

  /** When a token was used last (ms), to the minute. */
  usedAt(id: string): number | undefined {
    return z.number().safeParse(this.#deps.ledger.setting(USED_SETTING + id)).data;
  }

  /** Remembers a use, unless another within the last minute was. */
  used(id: string): void {
    const { batcher, clock } = this.#deps;
    const now = clock.now();
    const before = Math.max(this.#written.get(id) ?? 0, this.usedAt(id) ?? 0);
    if (now - before < USED_EVERY_MS) return;
    this.#written.set(id, now);
    batcher.submit({ kind: "setting", name: USED_SETTING + id, actor: "hub", change: { value: now } });
  }

  /** Makes a token. @throws NestError `conflict` where the name is taken or there are too many. */
  async make(draft: ApiTokenDraft): Promise<{ readonly token: string; readonly record: ApiTokenRecord }> {
    const { ledger, batcher, clock, random } = this.#deps;
    const known = this.all();
    if (known.some(({ name }) => name.toLowerCase() === draft.name.toLowerCase()))
      throw new NestError("conflict", `there is an API token with the name ${draft.name} already`, {
        hint: "choose another name, or revoke that one first",
      });
    if (known.length >= MOST_TOKENS)
      throw new NestError("conflict", `there are ${MOST_TOKENS} API tokens already`, {
        hint: "revoke those that nobody uses",
      });
    const { days, madeByAccount, ...rest } = draft;
    const id = random.hex(ID_BYTES);
    const token = `${prefixOf(id)}_${random.hex(SECRET_BYTES)}`;
    const now = clock.now();
    const record: ApiTokenRecord = {
      id,
      ...rest,
      digest: tokenDigest(token),
      ...(madeByAccount === undefined ? {} : { madeByAccount }),
      madeAt: now,
      ...(days === undefined ? {} : { endsAt: now + days * DAY_MS }),
    };
    const audit = { action: "api token made", subject: draft.name, before: null, after: factsOf(record) } as const;
    await changeSetting({ ledger, batcher }, { name: TOKEN_SETTING + id, actor: draft.madeBy }, () => ({
      value: record,
      audit,
    }));
    return { token, record };
  }

  /** Revokes a token for good. @throws NestError `not_found` */
  async revoke(id: string, actor: string): Promise<void> {
    const { ledger, batcher } = this.#deps;
    if (this.#read(id) === undefined) throw new NestError("not_found", "there is no such API token");
    await changeSetting({ ledger, batcher }, { name: TOKEN_SETTING + id, actor }, (before) => {
      const record = ApiTokenRecord.safeParse(before).data;
      if (record === undefined) return undefined;
      const audit = {
        action: "api token revoked",
        subject: record.name,
        before: factsOf(record),
        after: null,
      } as const;
      return { value: undefined, audit };
    });
    this.#written.delete(id);
    batcher.submit({ kind: "setting", name: USED_SETTING + id, actor: "hub", change: { value: undefined } });
  }

  #read(id: string): ApiTokenRecord | undefined {
    return ApiTokenRecord.safeParse(this.#deps.ledger.setting(TOKEN_SETTING + id)).data;
  }
}

/** How a token begins. */
export function prefixOf(id: string): string {
  return apiTokens.TOKEN_PREFIX + id;
}

function factsOf({ id, scope, endsAt }: ApiTokenRecord): object {
  return { scope, prefix: prefixOf(id), ends_at: endsAt === undefined ? null : new Date(endsAt).toISOString() };
}
