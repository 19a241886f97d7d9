import { expect, test } from "vitest";
import { agentFields, fixedSections } from "./fields.ts";
import { changeFor, namesIn, valuesIn } from "./values.ts";

test("a configuration that leaves everything out has a value for every field", () => {
  const fields = [...fixedSections.project.fields, ...fixedSections.hub.fields, ...agentFields("builder")];
  const values = valuesIn({}, fields);
  expect(values["project.repos"]).toEqual([]);
  expect([values["hub.enabled"], values["hub.is_public"], values["agents.builder.enabled"]]).toEqual([
    true,
    false,
    true,
  ]);
  expect(values["agents.builder.max_minutes"]).toBeNull();
  expect(Object.values(values)).not.toContain(undefined);
});

test("only what was changed is saved, in its place, and what was emptied goes back to the layers below", () => {
  const change = changeFor({ "governor.eval_interval_s": 60, "governor.labels.hold": ["wait"], "hub.url": "" });
  expect(change).toEqual({
    governor: { eval_interval_s: 60, labels: { hold: ["wait"] } },
    hub: { url: null },
  });
});

test("a number that was written as text is shown, and names come from what the configuration has", () => {
  const config = { github: { app_id: 12 }, agents: { builder: {}, reviewer: null } };
  expect(valuesIn(config, fixedSections.codeHost.fields)["github.app_id"]).toBe("12");
  expect([namesIn(config, "agents"), namesIn(config, "governor.modes")]).toEqual([["builder", "reviewer"], []]);
});
