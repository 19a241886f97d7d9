import type { NestError } from "@nest/kit";
import { clusterFault } from "./cluster.ts";
import type { ObjectRef } from "./managed.ts";

/** A call of the cluster, as the switches for faults name it. */
export type MemoryCall =
  | "apply"
  | "delete"
  | "exec"
  | "list"
  | "patch"
  | "pods"
  | "read"
  | "scale"
  | "secret"
  | "version"
  | "watch";

/** Which calls a fault meets: those about what these fields name, or those for which the function says so. */
export type Where = Partial<ObjectRef> | ((ref: Partial<ObjectRef>) => boolean);

interface Switch {
  readonly call: MemoryCall;
  readonly where: Where;
  readonly outcome: number | NestError | "hang";
  left: number;
}

/** The faults that a test has switched on for a cluster in memory. */
export class MemoryFaults {
  #switches: Switch[] = [];

  add(call: MemoryCall, where: Where, outcome: number | NestError | "hang", times: number): void {
    this.#switches.push({ call, where, outcome, left: times });
  }

  clear(): void {
    this.#switches = [];
  }

  /** Resolves when nothing stands in the way of the call; throws or hangs as a switch has it. */
  async meet(call: MemoryCall, ref: Partial<ObjectRef>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const found = this.#switches.find((one) => one.call === call && one.left > 0 && isMeant(one.where, ref));
    if (found === undefined) return;
    found.left -= 1;
    if (found.outcome === "hang") return untilAborted(signal);
    if (typeof found.outcome !== "number") throw found.outcome;
    const name = [ref.namespace, ref.name].filter((part) => part !== undefined).join("/");
    throw clusterFault(found.outcome, [call, ref.kind, name].filter(Boolean).join(" "), "");
  }
}

function isMeant(where: Where, ref: Partial<ObjectRef>): boolean {
  if (typeof where === "function") return where(ref);
  return (Object.keys(where) as (keyof ObjectRef)[]).every((key) => where[key] === ref[key]);
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
