/** Put in by `scripts/bundle.ts`. */
declare const BUNDLE_VERSION: string;

/**
 * The program of the bundle: a contribute-* command if the first argument names one, else the relay. Each is loaded on demand,
 * so that a relay which runs for weeks does not hold in memory what only a command needs.
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
