import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChannelConfig } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bindSecret, findSecret, placeOf, type SecretPlace, saveSecret } from "./secret-store.ts";

const SECRET = "a-key-to-sign-with-0123";
const webhook: ChannelConfig = { kind: "webhook", url: "https://example.org/in", events: ["queue_empty"] };
const email: ChannelConfig = {
  ...{ kind: "email", host: "mail.example.org", from: "nest@example.org", to: "ops@example.org", events: [] },
  user: "nest",
};

let place: SecretPlace;
beforeEach(async () => {
  place = { dataFolder: await mkdtemp(join(tmpdir(), "nest-secret-")), environment: {} };
});
afterEach(() => rm(place.dataFolder, { recursive: true }));
const file = () => join(place.dataFolder, "secrets/notification_team");

test.each<[string, ChannelConfig, ChannelConfig]>([
  ["webhook that leads elsewhere", webhook, { ...webhook, url: "https://example.com/in" }],
  ["webhook that becomes ntfy", webhook, { kind: "ntfy", url: "https://example.org/in", events: [] }],
  ["e-mail channel with another server", email, { ...email, host: "mail.example.com" }],
  ["e-mail channel without encryption", email, { ...email, tls: "none" }],
  [
    "Slack channel of another program",
    { kind: "slack", events: [] },
    { kind: "slack", url: "https://x.org", events: [] },
  ],
])("a secret goes nowhere but where it was given for: not to a %s", async (_, before, after) => {
  await saveSecret("team", before, SECRET, place);
  const found = await findSecret("team", before, place);
  expect(found.kind === "saved" && found.secret.reveal()).toBe(SECRET);
  expect(await findSecret("team", after, place)).toEqual({
    kind: "unusable",
    because: "its secret was saved for another address: save it again",
  });
});

test("what a channel is told of, and when, does not change where it leads; an empty field is as good as none", async () => {
  await saveSecret("team", webhook, SECRET, place);
  const told: ChannelConfig = { ...webhook, events: [], quiet_hours: "22:00-07:00", digest_minutes: 5, secret: null };
  expect((await findSecret("team", told, place)).kind).toBe("saved");
  expect(placeOf({ ...email, port: null, to: ["ops@example.org"] } as ChannelConfig)).toBe(placeOf(email));
});

test("a secret that an earlier release saved is bound to where its channel leads at the start, and stays with it", async () => {
  await mkdir(join(place.dataFolder, "secrets"));
  await writeFile(file(), `${SECRET}\n`);
  expect(await findSecret("team", webhook, place)).toMatchObject({ kind: "unusable" });
  await bindSecret("team", webhook, place);
  expect((await findSecret("team", webhook, place)).kind).toBe("saved");
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  await bindSecret("team", { ...webhook, url: "https://example.com/in" } as ChannelConfig, place);
  expect(await readFile(file(), "utf8")).toBe(`${SECRET}\nfor ${placeOf(webhook)}\n`);
});
