import type { Key } from "./faults.ts";

const MARKED_MS = 4000;

/** Scrolls to the setting of a key, and marks it for a moment, once the page shows what was changed. */
export function showSetting(key: Key): void {
  requestAnimationFrame(() => {
    const setting = document.querySelector<HTMLElement>(`.setting[data-keys~="${key}"]`);
    if (setting === null) return;
    setting.scrollIntoView({ block: "center" });
    setting.dataset.arrived = "";
    setTimeout(() => delete setting.dataset.arrived, MARKED_MS);
  });
}
