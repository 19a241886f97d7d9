/** Put in by `scripts/bundle.ts`. */
declare const BUNDLE_VERSION: string;

/**
 * The one program of the bundle: a contribute-* command where the first word names one, else the relay. Each is loaded when it
 * is asked for: a relay at rest for weeks should not hold what only a command needs.
 */
async function run([first = "", ...rest]: readonly string[]): Promise<number> {
  if (first.startsWith("contribute-")) {
    const { realDeps, runContribute } = await import("../relay/src/commands/main.ts");
    return runContribute(first, rest, realDeps(first));
  }
  if (/^--?version$/.test(first)) {
    process.stdout.write(`${BUNDLE_VERSION}\n`);
    return 0;
  }
  const { runRelay, takeSecrets } = await import("../relay/src/index.ts");
  return runRelay(first === "relay" ? rest : process.argv.slice(2), takeSecrets(process.env));
}

process.exitCode = await run(process.argv.slice(2));
