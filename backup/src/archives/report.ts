import type { ArchiveContent, Manifest } from "@nest/archive";

/** Spokes and files that are missing from a verified archive, one line each. */
export function gapLines(manifest: Manifest): string[] {
  const spokes = Object.entries(manifest.spoke_errors ?? {}).map(([id, reason]) => `spoke ${id}: ${reason}`);
  const files = Object.entries(manifest.skipped ?? {}).map(([path, reason]) => `file ${printable(path)}: ${reason}`);
  return [...spokes, ...files];
}

/** The lines that verify and extract print about gaps. */
export function gapReport(manifest: Manifest): string[] {
  const spokes = Object.keys(manifest.spoke_errors ?? {}).length;
  const files = Object.keys(manifest.skipped ?? {}).length;
  if (spokes + files === 0) return [];
  const lines = gapLines(manifest).map((line) => `  ${line}`);
  return [`WARNING: ${spokes} spokes and ${files} files were NOT captured:`, ...lines];
}

/** `archive OK: …`, as one line. */
export function okLine(content: ArchiveContent): string {
  const { manifest, files } = content;
  return `archive OK: ${files} files, ${(manifest.spoke_ids ?? []).length} spokes, created ${manifest.created_at}`;
}

/** What `-json` prints about an archive; the list of files is left out. */
export function archiveJson(content: ArchiveContent): object {
  const { files: _, ...manifest } = content.manifest;
  return { files: content.files, bytes: content.bytes, form: content.form, codec: content.codec, manifest };
}

/** Escapes control characters: names come from foreign file systems, and a terminal must not interpret them. */
function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "?");
}
