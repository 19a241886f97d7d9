import { plainLine, plainText } from "@nest/kit";
import type { Bead } from "@nest/protocol";

/** One bead on one line: id, priority, type, status, title. */
export function beadLine({ id, priority, type, status, title }: Bead): string {
  return `${id.padEnd(15)}  P${priority}  ${type.padEnd(8)}  ${status.padEnd(11)}  ${plainLine(title)}`;
}

/** Everything of one bead, for a person; nothing in it can move the cursor, whoever wrote it. */
export function beadPage(
  bead: Bead,
  waits: { readonly for: readonly string[]; readonly by: readonly string[] },
): string[] {
  const pair = (name: string, value: string) => (value === "" ? [] : [`  ${name.padEnd(13)}${plainLine(value)}`]);
  return [
    beadLine(bead),
    ...pair("actor", bead.actor),
    ...pair("external ref", bead.external_ref ?? ""),
    ...pair("created", bead.created_at),
    ...pair("updated", bead.updated_at),
    ...pair("closed", bead.closed_at ?? ""),
    ...pair("depends on", bead.depends_on.join(" ")),
    ...pair("waits for", waits.for.join(" ")),
    ...pair("waited for by", ` ${waits.by.join(" ")}`.trimEnd()),
    ...pair("metadata", Object.keys(bead.metadata).length === 0 ? "" : JSON.stringify(bead.metadata)),
    ...(bead.notes === ""
      ? []
      : [
          "",
          ...plainText(bead.notes)
            .split("\n")
            .map((line) => `  ${line}`),
        ]),
  ];
}
