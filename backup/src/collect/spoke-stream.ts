import { createHash } from "node:crypto";

/** The files of a spoke's configuration; a spoke with any of the first three counts as captured. */
const CONFIG_FILES = ["nest.yaml.dashboard", "nest.yaml.runtime", "nest.yaml.bak"] as const;
const MARK = "@@NEST-FILE";
const GAP = "@@NEST-GAP";
const END = "@@NEST-END";
/** Configuration and keys are small; a larger file is neither. */
const MOST_FILE_BYTES = 8 * 1024 * 1024;
export const MOST_STREAM_BYTES = 48 * 1024 * 1024;

/**
 * A shell script that runs in the spoke's container. It reads each file once into a variable, so that the announced length
 * and hash match the bytes sent. The end mark shows that the stream is complete.
 */
export const READ_SPOKE: readonly string[] = [
  "/bin/sh",
  "-c",
  `cd "\${NEST_DATA_DIR:-/data}" || exit 3
n=0
for f in ${CONFIG_FILES.join(" ")} nest-id app-key*.pem; do
  if [ -h "$f" ]; then echo "${GAP} link $f"; continue; fi
  [ -e "$f" ] || continue
  if ! [ -f "$f" ] || ! [ -r "$f" ]; then echo "${GAP} unreadable $f"; continue; fi
  if [ "$(wc -c <"$f")" -gt ${MOST_FILE_BYTES} ]; then echo "${GAP} too-large $f"; continue; fi
  b=$(base64 -w0 <"$f") || { echo "${GAP} unreadable $f"; continue; }
  h=$(printf %s "$b" | sha256sum | cut -d" " -f1)
  echo "${MARK} \${#b} $h $f"
  printf '%s\\n' "$b"
  n=$((n + 1))
done
echo "${END} $n"`,
];

export interface SpokeFiles {
  readonly files: ReadonlyMap<string, Buffer>;
  /** The reason for each file that is missing. */
  readonly gaps: Readonly<Record<string, string>>;
}

/**
 * Parses a spoke's stream.
 *
 * @returns a sentence instead when the stream is incomplete, inconsistent, or contains no configuration.
 */
export function parseSpokeStream(text: string): SpokeFiles | string {
  const files = new Map<string, Buffer>();
  const gaps: Record<string, string> = {};
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const [word, ...rest] = (lines[at] ?? "").split(" ");
    if (word === END) {
      if (rest[0] !== String(files.size)) return `the stream announced ${rest[0]} files and held ${files.size}`;
      if (lines.slice(at + 1).some((line) => line !== "")) return "something follows the end of the stream";
      if (!CONFIG_FILES.some((name) => files.has(name))) return `none of ${CONFIG_FILES.join(", ")} is there`;
      return { files, gaps };
    }
    if (word === GAP) {
      gaps[rest.slice(1).join(" ")] = rest[0] === "link" ? "a symbolic link" : (rest[0] ?? "").replaceAll("-", " ");
      continue;
    }
    if (word === "" && at === lines.length - 1) break;
    if (word !== MARK) return "the stream could not be understood";
    const [length, hash, ...name] = rest;
    at += 1;
    const body = lines[at] ?? "";
    const fault = faultOf(body, { length, hash, name: name.join(" ") }, files);
    if (fault !== undefined) return fault;
    files.set(name.join(" "), Buffer.from(body, "base64"));
  }
  return "the stream ended before its end mark";
}

function faultOf(
  body: string,
  said: { readonly length: string | undefined; readonly hash: string | undefined; readonly name: string },
  files: ReadonlyMap<string, Buffer>,
): string | undefined {
  if (!/^(nest\.yaml\.(dashboard|runtime|bak)|nest-id|app-key[A-Za-z0-9._-]{0,200}\.pem)$/.test(said.name)) {
    return "the stream names a file that was not asked for";
  }
  if (files.has(said.name)) return `${said.name} came twice`;
  if (String(body.length) !== said.length) return `${said.name} is cut`;
  if (createHash("sha256").update(body).digest("hex") !== said.hash)
    return `${said.name} does not have the hash it came with`;
  return undefined;
}
