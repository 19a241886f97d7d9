import { alerts } from "@nest/protocol";
import { expect, test } from "vitest";
import { configOf, draftOf, leadsElsewhere } from "./channel-draft.ts";

const status = { secret: "saved", waiting: 0, delivered: 0, given_up: 0, place: "0".repeat(64) } as const;

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
