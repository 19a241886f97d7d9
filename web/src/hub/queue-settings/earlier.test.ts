import { governor } from "@nest/protocol";
import { expect, test } from "vitest";
import { settingsBefore, takenWords } from "./earlier.ts";

const inForce = { ...governor.defaultSettings, contribute_cooldown_hours: 3, contribute_suspended: true };

test("what was in force before a change is found by undoing it and all that came after", () => {
  const changes = [
    { before: { contribute_cooldown_hours: 2 } },
    { before: { contribute_suspended: false } },
    { before: { contribute_cooldown_hours: 1 } },
  ];
  expect(settingsBefore(inForce, changes.slice(0, 1))).toEqual({ ...inForce, contribute_cooldown_hours: 2 });
  expect(settingsBefore(inForce, changes)).toEqual({
    ...inForce,
    contribute_cooldown_hours: 1,
    contribute_suspended: false,
  });
});

test("a key that this release does not know is left out, and an entry without values changes nothing", () => {
  expect(settingsBefore(inForce, [{ before: { gone: 1, __proto__: 2 } }, { before: null }])).toEqual(inForce);
});

test("what was taken is said by name, and that it is not saved yet", () => {
  expect(takenWords(["Label filter", "Announcement"])).toBe(
    "Taken into the page, and not saved yet: Label filter, Announcement.",
  );
  expect(takenWords([])).toBe("That is what is in force already: nothing is changed.");
});
