import { expect, test } from "vitest";
import { checkNestYaml } from "../config/nest-yaml.ts";
import { provenanceRows, shownConfig } from "../config/provenance.ts";
import { governorSettings } from "./governor-settings.ts";

const github = { token: "a-token" };

test.each([
  ["says nothing", {}],
  ["has empty lists", { labels: { hold: [], exempt: [] }, deny_authors: [], deny_titles: [] }],
])("where the configuration %s, the settings show what the governor goes by", (_, governor) => {
  const seed = { github, governor };
  const inForce = governorSettings(checkNestYaml(seed));
  expect(shownConfig({ seed, overlay: {} })).toMatchObject({
    governor: {
      eval_interval_s: inForce.evalIntervalMs / 1000,
      labels: { hold: inForce.holdLabels, exempt: inForce.exemptLabels, hold_pull_requests: inForce.holdLabel },
      deny_authors: inForce.denyAuthors,
      deny_titles: inForce.denyTitles,
      recordings: { days: inForce.recordings.days, megabytes: inForce.recordings.bytes / 1024 / 1024 },
    },
  });
  expect(inForce.holdLabels).toContain("needs-review");
});

test("a list that somebody emptied is said to be the default", () => {
  const overlay = { governor: { labels: { hold: [] } } };
  const files = {
    seedFile: "nest.yaml",
    overlayFile: "nest.yaml.dashboard",
    environment: {},
    record: { keys: {}, rejected: {} },
  };
  const rows = provenanceRows({ ...files, seed: { github }, overlay, running: { github } });
  const row = rows.find(({ key }) => key === "governor.labels.hold");
  expect(row).toMatchObject({ layer: "default", hidden: [] });
  expect(row?.value).toContain("on-hold");
});
