import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { folderOrders } from "./folder-order.ts";

/**
 * Arrows between packages go down only (docs/map.md): what each package may import of ours, and which package alone may
 * import a third-party client.
 */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  kit: [],
  codehost: ["kit", "protocol"],
  agents: ["kit", "protocol"],
  archive: ["kit", "protocol"],
  cluster: ["kit", "protocol"],
  http: ["kit", "protocol"],
  notify: ["kit", "protocol"],
  auth: ["codehost", "http", "kit", "protocol"],
  dispatch: ["codehost", "kit", "protocol"],
  provisioner: ["cluster", "kit", "protocol"],
  governor: ["agents", "codehost", "kit", "protocol"],
  hub: ["auth", "cluster", "codehost", "dispatch", "http", "kit", "notify", "protocol", "provisioner"],
  spoke: ["agents", "archive", "auth", "codehost", "governor", "http", "kit", "notify", "protocol"],
  relay: ["agents", "kit", "protocol"],
  backup: ["archive", "cluster", "kit", "protocol"],
  web: ["protocol"],
};
/** These may import every package. */
const rim = ["nest", "local-cluster", "local-codehost", "demo-agent", "test", "bench"];
const onlyIn: Record<string, readonly string[]> = {
  "@aws-sdk/": ["backup"],
  "@kubernetes/client-node": ["cluster"],
  "@octokit/": ["codehost"],
  "node:sqlite": ["backup", "dispatch"],
  pg: ["backup", "dispatch"],
  re2js: ["dispatch"],
  "@lydell/node-pty": ["spoke"],
  nodemailer: ["notify"],
  "@xterm/": ["web"],
  fastify: ["auth", "http", "hub", "local-codehost", "spoke"],
  "@fastify/": ["http"],
  emulate: [],
};

const faults: string[] = [];
const { workspaces } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly workspaces: readonly string[] };
for (const name of workspaces)
  if (allowed[name] === undefined && !rim.includes(name))
    faults.push(`${name}: scripts/dependency-rules.ts does not say what this package may import`);
for (const room of [...Object.keys(allowed), ...rim]) {
  for (const file of sourceFiles(room)) {
    for (const name of importsOf(readFileSync(file, "utf8"))) {
      const sibling = /^@nest\/([a-z-]+)/.exec(name)?.[1];
      const down = allowed[room];
      if (sibling !== undefined && down !== undefined && sibling !== room && !down.includes(sibling)) {
        faults.push(`${file}: ${room} must not import @nest/${sibling}`);
      }
      if (rim.includes(room) || file.endsWith(".test.ts")) continue;
      if (
        file.includes("/src/") &&
        name.startsWith(".") &&
        !normalize(join(dirname(file), name)).startsWith(`${room}/`)
      )
        faults.push(`${file}: "${name}" leaves the package ${room}; import @nest/… instead, where that is allowed`);
      for (const [client, homes] of Object.entries(onlyIn)) {
        const matches =
          name === client || (client.endsWith("/") ? name.startsWith(client) : name.startsWith(`${client}/`));
        if (matches && !homes.includes(room))
          faults.push(
            `${file}: ${client} may be imported ${homes.length === 0 ? "nowhere" : `only in ${homes.join(", ")}`}`,
          );
      }
    }
  }
}
// One build holds the browser sides of hub and spoke. Shared code imports neither of them, and neither imports the other.
const sides: Record<string, readonly string[]> = { shared: ["hub", "spoke"], hub: ["spoke"], spoke: ["hub"] };
for (const [side, forbidden] of Object.entries(sides)) {
  for (const file of sourceFiles(join("web", "src", side))) {
    for (const name of importsOf(readFileSync(file, "utf8"))) {
      const other = /^(?:\.\.\/)+(hub|spoke)\//.exec(name)?.[1];
      if (other !== undefined && forbidden.includes(other))
        faults.push(`${file}: web/src/${side} must not import web/src/${other}`);
    }
  }
}
for (const [room, { order, wiring }] of Object.entries(folderOrders)) {
  const source = join(room, "src");
  const rank = (folder: string) => order.indexOf(folder);
  for (const file of sourceFiles(source)) {
    const name = relative(source, file);
    const from = dirname(name);
    if (file.includes(".test.") || (from === "." && wiring.includes(name))) continue;
    if (rank(from) === -1) {
      faults.push(`${file}: scripts/folder-order.ts does not say where the folder ${from} of ${room} stands`);
      continue;
    }
    for (const imported of importsOf(readFileSync(file, "utf8")).filter((one) => one.startsWith("."))) {
      const target = relative(source, normalize(join(dirname(file), imported)));
      const to = dirname(target);
      if (to === "." && wiring.includes(target)) faults.push(`${file}: ${target} wires ${room}; nothing imports it`);
      else if (to !== from && rank(to) > rank(from))
        faults.push(`${file}: in ${room}, ${named(from)} stand below ${named(to)} and must not import them`);
    }
  }
}
for (const fault of faults) console.error(fault);
if (faults.length > 0)
  console.error(
    "hint: move what both need to the lower one, or pass it in where both are wired; the order is in scripts/dependency-rules.ts and scripts/folder-order.ts",
  );
process.exitCode = faults.length === 0 ? 0 : 1;

function named(folder: string): string {
  return folder === "." ? "the package's top files" : `the files of ${folder}/`;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
    .map((name) => join(folder, name));
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
}
