import type { ManagedCluster } from "@nest/cluster";
import { NestError } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { HELPER } from "./helper-pod.ts";

/** Bulk that a nest makes again (spec: Spoke durable state); it is not moved. */
const LEFT_BEHIND = ["/data/nous", "/data/home", "/data/logs"];

/** A place on which a program can be run beside a nest's data. */
export interface DataPlace {
  readonly cluster: ManagedCluster;
  readonly nestId: string;
}

/** What a volume holds: digest and size by path, and everything else that is no regular file. */
export interface DataManifest {
  readonly files: ReadonlyMap<string, { readonly sha256: string; readonly size: number }>;
  /** Folders and symbolic links, parents first. */
  readonly others: readonly string[];
}

const unwanted = ["(", ...LEFT_BEHIND.flatMap((path, at) => (at === 0 ? ["-path", path] : ["-o", "-path", path])), ")"];
const found = (...rest: readonly string[]) => ["find", "/data", "-mindepth", "1", ...unwanted, "-prune", "-o", ...rest];

/** Reads what is on a nest's volume. Names are separated by NUL, because a name may hold anything else. */
export async function readManifest(place: DataPlace, signal: AbortSignal): Promise<DataManifest> {
  const sizes = await output(place, found("-type", "f", "-printf", "%s %p\\0"), signal);
  const digests = await output(place, found("-type", "f", "-exec", "sha256sum", "-z", "{}", "+"), signal);
  const others = await output(place, found("(", "-type", "d", "-o", "-type", "l", ")", "-print0"), signal);
  const sizeOf = new Map(parts(sizes).map((line) => [line.slice(line.indexOf(" ") + 1), Number.parseInt(line, 10)]));
  const files = new Map<string, { sha256: string; size: number }>();
  for (const line of parts(digests)) {
    const [sha256, path] = [line.slice(0, 64), line.slice(66)];
    files.set(path, { sha256, size: sizeOf.get(path) ?? 0 });
  }
  return { files, others: parts(others).sort() };
}

/** Paths whose content the other side lacks, or has otherwise. */
export function missingIn(wanted: DataManifest, there: DataManifest): readonly string[] {
  return [...wanted.files]
    .filter(([path, { sha256 }]) => there.files.get(path)?.sha256 !== sha256)
    .map(([path]) => path);
}

/** Runs a program in the pod that copies. @throws NestError `nest_copy_failed` when it does not end with 0. */
export async function runBeside(
  { cluster, nestId }: DataPlace,
  request: {
    readonly command: readonly string[];
    readonly stdin?: AsyncIterable<Uint8Array>;
    readonly signal: AbortSignal;
    readonly stdout?: (piece: Buffer) => void;
  },
): Promise<void> {
  const { exitCode, stderr } = await cluster.exec({
    namespace: namespaceOf(nestId),
    pod: HELPER,
    container: "copy",
    stdout: () => undefined,
    ...request,
  });
  if (exitCode !== 0) {
    const [program] = request.command;
    throw new NestError("nest_copy_failed", `${program} ended with exit code ${exitCode}: ${stderr.slice(0, 300)}`);
  }
}

async function output(place: DataPlace, command: readonly string[], signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  await runBeside(place, { command, signal, stdout: (piece) => pieces.push(piece) });
  return Buffer.concat(pieces).toString("utf8");
}

function parts(text: string): string[] {
  return text.split("\0").filter((part) => part !== "");
}
