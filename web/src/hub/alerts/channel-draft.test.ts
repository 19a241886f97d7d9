import { alerts } from "@nest/protocol";
import { expect, test } from "vitest";
import { configOf, draftOf } from "./channel-draft.ts";

const status = { secret: "missing", waiting: 0, delivered: 0, given_up: 0 } as const;

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
