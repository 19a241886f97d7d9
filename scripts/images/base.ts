import { execFile, spawn } from "node:child_process";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const SLOW_MS = 600_000;
const INCLUDED = "bubblewrap,ca-certificates,curl,gettext-base,git,hostname,procps,tini,tmux";

export interface BaseOptions {
  readonly engine: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The name that the image gets. */
  readonly image: string;
  /** Where the Debian is kept, so that it is made once. */
  readonly folder: string;
}

/**
 * Makes an image of a small Debian with the packages that ours need, out of Debian's own package archive: for machines that reach
 * no image registry. Takes root and debootstrap, and half a minute the first time.
 *
 * @throws Error with what debootstrap or the engine said.
 */
export async function makeBase({ engine, environment = process.env, image, folder }: BaseOptions): Promise<string> {
  if (await isImage(engine, image, environment)) return image;
  if (!(await isThere(folder))) await debootstrap(folder);
  await pipe(["tar", "-C", folder, "-c", "."], [engine, "import", "-", image], environment).catch(
    async (thrown: unknown) => {
      if (!(await isImage(engine, image, environment))) throw thrown;
    },
  );
  return image;
}

/** Whether the engine has an image already. */
async function isImage(
  engine: string,
  image: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  return run(engine, ["image", "inspect", image], { env: environment }).then(
    () => true,
    () => false,
  );
}

/** Whole or not at all. */
async function debootstrap(folder: string): Promise<void> {
  const making = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    await run("debootstrap", ["--variant=minbase", `--include=${INCLUDED}`, "trixie", making], {
      timeout: SLOW_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    await rename(making, folder).catch(async (thrown: unknown) => {
      // Somebody else has made it meanwhile: theirs is as good.
      if (!(await isThere(folder))) throw thrown;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

function pipe(
  from: readonly string[],
  to: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const [source, sink] = [from, to].map(([program = "", ...args], at) =>
    spawn(program, args, {
      env: environment,
      stdio: [at === 0 ? "ignore" : "pipe", at === 0 ? "pipe" : "ignore", "ignore"],
    }),
  );
  if (source?.stdout && sink?.stdin) source.stdout.pipe(sink.stdin);
  return new Promise<void>((resolve, reject) =>
    sink?.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`${to.join(" ")} ended with ${code}`)))),
  );
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
