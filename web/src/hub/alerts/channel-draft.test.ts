import { alerts } from "@nest/protocol";
import { expect, test } from "vitest";
import { configOf, draftOf, leadsElsewhere, merged } from "./channel-draft.ts";
import { faultOfRefusal, faultsOf } from "./channel-faults.ts";

const status = {
  secret: "saved",
  waiting: 0,
  delivered: 0,
  given_up: 0,
  place: "0".repeat(64),
  revision: "new",
} as const;

test.each<alerts.AlertChannelConfig>([
  { kind: "webhook", url: "https://example.org/in", events: ["queue_empty"], quiet_hours: "22:00-07:00" },
  { kind: "slack", events: ["failure_rate"], digest_minutes: 10 },
  { kind: "ntfy", url: "https://ntfy.sh/topic", events: [] },
  {
    ...{ kind: "email", host: "mail.example.org", port: 587, tls: "starttls", user: "nest", from: "nest@example.org" },
    ...{ to: ["ops@example.org", "boss@example.org"], events: ["backup_old"], timezone: "Europe/Berlin" },
  },
])("a channel of kind $kind stays what it is when nobody changes it", (config) => {
  const { kind, events } = config;
  const draft = draftOf({ name: "team", kind, events, ...status, config });
  expect(alerts.AlertChannelConfig.parse(configOf(draft))).toEqual(config);
});

test("a change of the address asks for the secret again, a change of what the channel is told of does not", () => {
  const config = { kind: "webhook", url: "https://example.org/in", events: ["queue_empty"] } as const;
  const channel: alerts.AlertChannel = {
    ...{ name: "team", kind: "webhook", events: ["queue_empty"], ...status },
    config: { ...config, events: ["queue_empty"] },
  };
  const draft = draftOf(channel);
  expect(leadsElsewhere({ ...draft, events: [], quiet_hours: "22:00-07:00", digest_minutes: "5" }, channel)).toBe(
    false,
  );
  expect(leadsElsewhere({ ...draft, url: "https://example.com/in" }, channel)).toBe(true);
  expect(leadsElsewhere({ ...draft, kind: "ntfy" }, channel)).toBe(true);
});

test("what was typed outlives what somebody else saved meanwhile, who loses nothing that was not typed over", () => {
  const base = { ...draftOf(undefined), name: "team", url: "https://example.org/a" };
  const theirs = { ...base, url: "https://example.org/b", quiet_hours: "22:00-07:00" };
  const mine = { ...base, url: "https://example.org/c", digest_minutes: "5" };
  expect(merged(mine, { base, theirs })).toEqual({
    draft: { ...theirs, ...mine, quiet_hours: "22:00-07:00" },
    both: ["url"],
  });
});

test("what the hub would refuse is found at its field, by the hub's own schema", () => {
  const empty = draftOf(undefined);
  expect(faultsOf({ ...empty, name: "of the team" })).toEqual({
    name: "A channel's name has letters, digits, - and _, at most 50.",
    url: "This is needed.",
  });
  const mail = { ...empty, name: "team", kind: "email", host: "mail.example.org", from: "nest", to: "ops\n" } as const;
  expect(Object.keys(faultsOf({ ...mail, quiet_hours: "at night" })).sort()).toEqual(["from", "quiet_hours", "to"]);
  expect(faultsOf({ ...empty, name: "team", url: "https://example.org/in" })).toEqual({});
  expect(faultOfRefusal("url: must hold no name or password", empty)).toEqual({
    url: "Must hold no name or password.",
  });
  expect(faultOfRefusal("there are 20 channels already", empty)).toBeUndefined();
});
