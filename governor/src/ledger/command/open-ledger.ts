import type { Readable, Writable } from "node:stream";
import type { Clock, Random } from "@nest/kit";
import { Ledger } from "../ledger.ts";
import type { Place } from "./place.ts";

/** The rim of the command: what a test replaces. */
export interface BeadsCommandDeps {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens a place's ledger for a command. */
export async function openLedger(
  { folder, actor }: Place,
  { clock, random, stderr }: BeadsCommandDeps,
): Promise<Ledger> {
  const onTrouble = (sentence: string) => stderr.write(`nest beads: warning: ${sentence}\n`);
  return Ledger.open({ folder, actor, clock, random, onTrouble });
}
