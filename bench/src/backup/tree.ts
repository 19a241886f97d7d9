import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "@nest/kit";

const MIB = 1024 * 1024;
const WORDS = "lease claim nest tier relay hub spoke queue issue merge branch review commit token label title".split(
  " ",
);

/** The content of one file: half ledgers, the rest YAML, logs and text, a tenth of it bytes that do not compress. */
export function content(index: number, bytes: number): Buffer {
  const random = seededRandom(index + 1);
  if (index % 10 === 9) return noise(bytes, index + 1);
  const lines: string[] = [];
  for (let length = 0; length < bytes; ) {
    const word = () => WORDS[Math.floor(random.fraction() * WORDS.length)] ?? "";
    const line =
      index % 10 < 5
        ? `{"id":"${random.hex(6)}","at":${1_790_000_000 + Math.floor(random.fraction() * 1e7)},"state":"${word()}","title":"${word()} ${word()} ${word()}","number":${Math.floor(random.fraction() * 9999)}}\n`
        : `${word()}_${word()}: ${word()} ${word()} ${Math.floor(random.fraction() * 1e6)} # ${word()} ${word()} ${word()}\n`;
    lines.push(line);
    length += line.length;
  }
  return Buffer.from(lines.join("")).subarray(0, bytes);
}

/** Writes a hub's data directory of about `megabytes`: many small files and a few large ones. */
export function makeTree(folder: string, megabytes: number): { readonly files: number; readonly bytes: number } {
  let bytes = 0;
  let index = 0;
  for (; bytes < megabytes * MIB; index += 1) {
    const size = index % 50 === 0 ? 4 * MIB : 1000 + ((index * 7919) % 260_000);
    const path = join(folder, "saas", `d${index % 40}`, `file-${index}`);
    mkdirSync(join(path, ".."), { recursive: true });
    // The same few contents again and again would flatter every compressor; each file has its own.
    writeFileSync(path, content(index, size));
    bytes += size;
  }
  writeFileSync(join(folder, "hub-registry.json"), '{"nests":[]}');
  return { files: index + 1, bytes };
}

function noise(bytes: number, seed: number): Buffer {
  const whole = Buffer.alloc(bytes + 4);
  let state = seed >>> 0;
  for (let at = 0; at < bytes; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    whole.writeUInt32LE((state ^ (state >>> 13)) >>> 0, at);
  }
  return whole.subarray(0, bytes);
}
