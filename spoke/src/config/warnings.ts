import { backendOf } from "@nest/agents";
import { isTree, valueAt } from "./leaves.ts";

/**
 * What a configuration names that there is not. It may be saved all the same: an agent may come later, and a program of another name
 * can be put in a backend's place. Pure.
 */
export function warningsOf(config: unknown): string[] {
  const named = entries(valueAt(config, ["agents"]));
  const backends = named.flatMap(([name, agent]) => {
    const backend = valueAt(agent, ["backend"]);
    return typeof backend !== "string" || backendOf(backend) !== undefined
      ? []
      : [`agents.${name}.backend: there is no backend called ${backend}`];
  });
  const agents = new Set(named.map(([name]) => name));
  const intervals = entries(valueAt(config, ["governor", "modes"])).flatMap(([mode, cadences]) =>
    entries(cadences).flatMap(([name]) =>
      name === "threshold" || agents.has(name)
        ? []
        : [`governor.modes.${mode}.${name}: there is no agent called ${name}`],
    ),
  );
  return [...backends, ...intervals];
}

/** Without what was removed. */
function entries(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  return isTree(value) ? Object.entries(value).filter(([, entry]) => entry !== false && entry !== null) : [];
}
