import type { ReactNode } from "react";
import type { Settings } from "./faults.ts";
import type { SettingsDraft } from "./use-settings.ts";

/** What each section of the page edits. */
export interface SectionProps {
  readonly form: SettingsDraft;
  readonly draft: Settings;
}

/** A group of settings with its heading and purpose. */
export function SettingsSection({
  id,
  title,
  about,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="panel part" id={id} aria-labelledby={`${id}-title`} tabIndex={-1}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p className="soft">{about}</p>
      {children}
    </section>
  );
}
