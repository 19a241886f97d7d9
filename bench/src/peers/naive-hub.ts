import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { type WebSocket, WebSocketServer } from "ws";

/**
 * The hub that one writes on the first afternoon: the same wire, every message that changes something its own transaction
 * with `synchronous=FULL`, answered when it is on disk. It is correct; it is what the real hub is measured against.
 */
const [databaseFile = "", seedFile = ""] = process.argv.slice(2);
const { tokens, issues } = JSON.parse(readFileSync(seedFile, "utf8")) as { tokens: string[]; issues: number };
const LEASE_MS = 30 * 60 * 1000;

const database = new DatabaseSync(databaseFile);
database.exec("pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full");
database.exec(`
  create table if not exists contributors (id text primary key, digest text not null unique);
  create table if not exists issues (id integer primary key, repo text not null, number integer not null,
    title text not null, state text not null);
  create index if not exists issues_ready on issues (id) where state = 'ready';
  create table if not exists leases (task_id text primary key, gen integer not null unique, issue integer not null,
    contributor text not null, state text not null, expires_at integer not null);
  create unique index if not exists one_lease_an_issue on leases (issue) where state <> 'ended';
  create index if not exists leases_live on leases (contributor) where state <> 'ended';
  create table if not exists events (id integer primary key, at integer not null, task_id text not null, what text not null);
`);
seedOnce();

const byDigest = database.prepare("select id from contributors where digest = ?");
const nextIssue = database.prepare(
  "select id, repo, number, title from issues where state = 'ready' order by id limit 1",
);
const setIssue = database.prepare("update issues set state = ? where id = ?");
const lastGen = database.prepare("select coalesce(max(gen), 0) as gen from leases");
const grant = database.prepare("insert into leases values (?, ?, ?, ?, 'offered', ?)");
const leaseOf = database.prepare(
  "select * from leases where task_id = ? and gen = ? and contributor = ? and state <> 'ended'",
);
const liveOf = database.prepare("select task_id from leases where contributor = ? and state <> 'ended'");
const setLease = database.prepare("update leases set state = ?, expires_at = ? where task_id = ?");
const event = database.prepare("insert into events (at, task_id, what) values (?, ?, ?)");

interface Words {
  readonly type: string;
  readonly registration_token?: string;
  readonly task_id?: string;
  readonly task_gen?: number;
}

const server = createServer((_request, response) => response.writeHead(404).end());
const sockets = new WebSocketServer({ server, maxPayload: 64 * 1024, perMessageDeflate: false });
// It passes on what its server says; a port that is still taken is tried again below.
sockets.on("error", () => {});
sockets.on("connection", (socket) => {
  let contributor: string | undefined;
  say(socket, { type: "auth_challenge", nonce: randomBytes(16).toString("hex") });
  socket.on("error", () => undefined);
  socket.on("message", (data) => {
    const message = JSON.parse(data.toString()) as Words;
    if (contributor !== undefined) return hear(socket, contributor, message);
    const digest = createHash("sha256")
      .update(message.registration_token ?? "")
      .digest("hex");
    const known = byDigest.get(digest) as { id: string } | undefined;
    if (known === undefined) return socket.close(1008);
    contributor = known.id;
    say(socket, {
      type: "auth_ok",
      contributor_id: known.id,
      protocol_version: "1.2",
      server_capabilities: ["task_ack"],
    });
  });
});

function hear(socket: WebSocket, contributor: string, message: Words): void {
  switch (message.type) {
    case "ping":
      return say(socket, { type: "pong" });
    case "ready":
      return assign(socket, contributor);
    case "task_accepted":
    case "task_progress":
      return renew(socket, contributor, message);
    case "task_complete":
      return complete(socket, contributor, message);
  }
}

function assign(socket: WebSocket, contributor: string): void {
  const assignment = inTransaction(() => {
    if (liveOf.get(contributor) !== undefined) return undefined;
    const issue = nextIssue.get() as { id: number; repo: string; number: number; title: string } | undefined;
    if (issue === undefined) return undefined;
    const gen = (lastGen.get() as { gen: number }).gen + 1;
    const taskId = randomUUID();
    grant.run(taskId, gen, issue.id, contributor, Date.now() + LEASE_MS);
    setIssue.run("leased", issue.id);
    event.run(Date.now(), taskId, "assigned");
    return {
      task_id: taskId,
      task_gen: gen,
      kind: "issue",
      repo: issue.repo,
      number: issue.number,
      title: issue.title,
    };
  });
  if (assignment === undefined) return say(socket, { type: "task_unavailable", reason: "no_matching_work" });
  const url = `https://code.example/${assignment.repo}/issues/${assignment.number}`;
  say(socket, {
    type: "task_assign",
    ...assignment,
    url,
    labels: ["bug"],
    prompt: `Work on ${url}: ${assignment.title}`,
  });
}

function renew(socket: WebSocket, contributor: string, message: Words): void {
  const renewed = inTransaction(() => {
    if (leaseOf.get(message.task_id ?? "", message.task_gen ?? 0, contributor) === undefined) return false;
    setLease.run("working", Date.now() + LEASE_MS, message.task_id ?? "");
    event.run(Date.now(), message.task_id ?? "", message.type);
    return true;
  });
  if (!renewed) say(socket, { type: "task_revoke", task_id: message.task_id, reason: "no active lease for this task" });
}

function complete(socket: WebSocket, contributor: string, message: Words): void {
  inTransaction(() => {
    const lease = leaseOf.get(message.task_id ?? "", message.task_gen ?? 0, contributor) as
      | { issue: number }
      | undefined;
    if (lease === undefined) return;
    setLease.run("ended", 0, message.task_id ?? "");
    setIssue.run("done", lease.issue);
    event.run(Date.now(), message.task_id ?? "", "completed");
  });
  say(socket, { type: "task_ack", task_id: message.task_id, task_gen: message.task_gen });
}

function inTransaction<Result>(act: () => Result): Result {
  database.exec("begin immediate");
  try {
    const result = act();
    database.exec("commit");
    return result;
  } catch (thrown) {
    database.exec("rollback");
    throw thrown;
  }
}

function say(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message));
}

function seedOnce(): void {
  if (database.prepare("select 1 from contributors limit 1").get() !== undefined) return;
  const addContributor = database.prepare("insert into contributors values (?, ?)");
  const addIssue = database.prepare("insert into issues values (?, ?, ?, ?, 'ready')");
  database.exec("begin");
  tokens.forEach((token, index) => {
    addContributor.run(`c-${index}`, createHash("sha256").update(token).digest("hex"));
  });
  for (let number = 1; number <= issues; number += 1) addIssue.run(number, "acme/site", number, `Issue ${number}`);
  database.exec("commit");
}

/** After a kill the old sockets may still hold the port for a moment. */
function listen(port: number): void {
  server.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    setTimeout(() => listen(port), 50);
  });
  server.listen({ port, host: "127.0.0.1", backlog: 4096 });
}
server.on("listening", () => {
  process.stdout.write(`nest-hub listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on("SIGTERM", () => process.exit(0));
listen(Number(process.env.NEST_HUB_PORT ?? 0));
