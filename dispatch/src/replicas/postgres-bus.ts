import { type CancelTimer, type Clock, type Log, type Random, sentenceOf } from "@nest/kit";
import type { Client } from "pg";
import { z } from "zod";
import type { PostgresDatabase } from "../storage/postgres.ts";
import type { Bus } from "./bus.ts";
import { MessageSeal } from "./sealed-message.ts";

export interface PostgresBusDeps {
  readonly database: PostgresDatabase;
  readonly replica: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The key that the hub's replicas share, 32 bytes: messages sealed with another key are ignored. */
  readonly key: Buffer;
  /** The number of other live replicas. */
  readonly others: () => number;
  /** Called when another replica has written a batch. */
  readonly onBatch: () => void;
}

const CHANNEL = "nest";
/** A notification holds less than 8000 bytes; a longer message is stored in a table and the notification carries its id. */
const MOST_NOTIFIED_BYTES = 7000;
const RECONNECT_MS = 1000;
const KEPT_MESSAGES = "1 minute";

const Message = z.object({
  from: z.string(),
  topic: z.string(),
  body: z.unknown(),
  /** Set on a question; its answers carry the same id. */
  question: z.string().optional(),
  /** Set on an answer: the replica that asked, and the question's id. */
  to: z.string().optional(),
  answers: z.string().optional(),
});
type Message = z.infer<typeof Message>;

interface Question {
  readonly take: (body: unknown) => void;
}

/** Sends messages between replicas with LISTEN and NOTIFY of the database that they share. */
export class PostgresBus implements Bus {
  readonly replica: string;
  readonly #deps: PostgresBusDeps;
  readonly #listeners = new Map<string, (body: unknown, from: string) => void>();
  readonly #responders = new Map<string, (body: unknown) => Promise<unknown>>();
  readonly #questions = new Map<string, Question>();
  #gaps: (() => void)[] = [];
  #client: Client | undefined;
  #schema = "";
  readonly #seal: MessageSeal;
  #retry: CancelTimer | undefined;
  #closed = false;

  constructor(deps: PostgresBusDeps) {
    this.#deps = deps;
    this.replica = deps.replica;
    this.#seal = new MessageSeal(deps.key, deps.replica, () => this.#schema, deps.random);
  }

  get others(): number {
    return this.#deps.others();
  }

  /** Starts listening. When the connection is lost, it reconnects by itself. */
  async open(): Promise<void> {
    const client = await this.#deps.database.connect();
    client.on("notification", ({ payload }) => this.#onNotification(payload ?? ""));
    client.once("end", () => this.#onConnectionLost(client));
    const { rows } = await client.query<{ schema: string }>("select current_schema() as schema");
    this.#schema = rows[0]?.schema ?? "";
    await client.query(`listen ${CHANNEL}`);
    this.#client = client;
  }

  async tell(topic: string, body: unknown): Promise<void> {
    if (this.others > 0) await this.#send({ from: this.replica, topic, body });
  }

  on(topic: string, act: (body: unknown, from: string) => void): void {
    this.#listeners.set(topic, act);
  }

  async ask(
    topic: string,
    body: unknown,
    { withinMs, enough }: { withinMs: number; enough: number },
  ): Promise<unknown[]> {
    if (this.others === 0) return [];
    const { random, clock } = this.#deps;
    const question = random.hex(8);
    const answers: unknown[] = [];
    const answered = new Promise<void>((resolve) => {
      const cancel = clock.after(withinMs, resolve);
      const take = (answer: unknown) => {
        answers.push(answer);
        if (answers.length < Math.min(enough, this.others)) return;
        cancel();
        resolve();
      };
      this.#questions.set(question, { take });
    });
    try {
      await this.#send({ from: this.replica, topic, body, question });
      await answered;
    } finally {
      this.#questions.delete(question);
    }
    return answers;
  }

  answer(topic: string, act: (body: unknown) => Promise<unknown>): void {
    this.#responders.set(topic, act);
  }

  onGap(act: () => void): void {
    this.#gaps.push(act);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#retry?.();
    await this.#client?.end().catch(() => undefined);
  }

  async #send(message: Message): Promise<void> {
    const { pool } = this.#deps.database;
    const text = this.#seal.seal(message);
    if (Buffer.byteLength(text) <= MOST_NOTIFIED_BYTES) {
      await pool.query("select pg_notify($1, current_schema() || ' message ' || $2)", [CHANNEL, text]);
      return;
    }
    await pool.query(
      `with old as (delete from replica_messages where made_at < now() - interval '${KEPT_MESSAGES}'),
         sent as (insert into replica_messages (body) values ($2) returning id)
       select pg_notify($1, current_schema() || ' stored ' || id) from sent`,
      [CHANNEL, text],
    );
  }

  /** Any user of the database can send a notification with any content, so this must never throw. */
  #onNotification(payload: string): void {
    try {
      this.#read(payload);
    } catch (thrown) {
      this.#deps.log.error({ err: thrown }, "a message from another replica could not be handled");
    }
  }

  #read(payload: string): void {
    const [schema, kind] = payload.split(" ", 2);
    if (schema !== this.#schema || kind === undefined) return;
    const rest = payload.slice(schema.length + kind.length + 2);
    if (kind === "batch" && rest !== this.replica) this.#deps.onBatch();
    else if (kind === "message") this.#take(rest);
    else if (kind === "stored") void this.#fetch(rest);
  }

  async #fetch(id: string): Promise<void> {
    const { database, log } = this.#deps;
    if (!/^\d{1,15}$/.test(id)) return;
    try {
      const [row] = await database.reader.all("select body from replica_messages where id = ?1", Number(id));
      if (row !== undefined) this.#take(String(row.body));
    } catch (thrown) {
      log.warn({ because: sentenceOf(thrown) }, "a message from another replica could not be read");
    }
  }

  #take(text: string): void {
    const read = Message.safeParse(this.#seal.open(text));
    if (!read.success) {
      this.#deps.log.warn("ignored a notification that was not sent by a replica");
      return;
    }
    const { data: message } = read;
    const { from, topic, body, question, to, answers } = message;
    if (from === this.replica) return;
    if (answers !== undefined) {
      if (to === this.replica) this.#questions.get(answers)?.take(body);
    } else if (question !== undefined) void this.#reply(from, topic, body, question);
    else this.#listeners.get(topic)?.(body, from);
  }

  async #reply(to: string, topic: string, body: unknown, question: string): Promise<void> {
    try {
      const answer = await this.#responders.get(topic)?.(body);
      if (answer !== undefined) await this.#send({ from: this.replica, topic, body: answer, to, answers: question });
    } catch (thrown) {
      this.#deps.log.warn({ topic, because: sentenceOf(thrown) }, "could not answer another replica");
    }
  }

  #onConnectionLost(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    if (this.#closed) return;
    const { clock, log } = this.#deps;
    log.warn("lost the connection that listens to the other replicas; reconnecting");
    const retry = () => {
      this.#retry = clock.after(RECONNECT_MS, () => {
        this.open().then(
          () => {
            for (const act of this.#gaps) act();
          },
          () => {
            if (!this.#closed) retry();
          },
        );
      });
    };
    retry();
  }
}
