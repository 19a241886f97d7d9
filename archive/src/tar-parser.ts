import { damaged, hostile } from "./errors.ts";
import { NameSet, nameFault } from "./member-names.ts";
import { BLOCK, type MemberHead, paddingOf, readPax, readUstar } from "./tar-header.ts";

/** Receives the members of a tar, in order. Their bytes are authenticated, but not yet compared with the manifest. */
export interface MemberVisitor {
  begin(head: MemberHead): void;
  content(piece: Buffer): void;
  end(): void;
}

export interface TarLimits {
  readonly memberBytes: number;
  readonly members: number;
}

const MOST_PAX_BYTES = 64 * 1024;

/**
 * Parses a tar and accepts only what this tool writes: regular files with clean, unique names. Folders that other programs
 * write are skipped. Everything else is refused as hostile: links, devices, pipes, unknown kinds, sizes over the limits.
 */
export class TarParser {
  readonly #visitor: MemberVisitor;
  readonly #limits: TarLimits;
  readonly #names = new NameSet();
  #state: "header" | "content" | "padding" | "pax" | "end" = "header";
  #left = 0;
  #kept = Buffer.alloc(0);
  #pax: { path?: string; size?: number } = {};
  #paxPadding = 0;
  #padding = 0;
  #members = 0;

  constructor(visitor: MemberVisitor, limits: TarLimits) {
    this.#visitor = visitor;
    this.#limits = limits;
  }

  /** Parses the next bytes. @throws NestError `archive_hostile` */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) at += this.#step(bytes.subarray(at));
  }

  /** Call at the end of the input. @throws NestError `archive_damaged` when the tar's end is missing. */
  finish(): void {
    if (this.#state !== "end") throw damaged("the tar inside has no end");
  }

  #step(bytes: Buffer): number {
    switch (this.#state) {
      case "header":
        return this.#gather(bytes, BLOCK, (block) => this.#header(block));
      case "pax":
        return this.#gather(bytes, this.#left + this.#paxPadding, (body) => {
          this.#pax = readPax(body.subarray(0, this.#left));
          this.#state = "header";
        });
      case "content":
        return this.#content(bytes);
      case "padding": {
        const count = Math.min(bytes.length, this.#padding);
        this.#padding -= count;
        if (this.#padding === 0) this.#state = "header";
        return count;
      }
      case "end":
        if (bytes.some((byte) => byte !== 0)) throw hostile("something follows the end of the tar inside");
        return bytes.length;
    }
  }

  /** Collects `count` bytes over several pieces, then passes them to `act`. */
  #gather(bytes: Buffer, count: number, act: (whole: Buffer) => void): number {
    if (this.#kept.length === 0 && bytes.length >= count) {
      act(bytes.subarray(0, count));
      return count;
    }
    const taken = Math.min(bytes.length, count - this.#kept.length);
    this.#kept = Buffer.concat([this.#kept, bytes.subarray(0, taken)]);
    if (this.#kept.length === count) {
      const whole = this.#kept;
      this.#kept = Buffer.alloc(0);
      act(whole);
    }
    return taken;
  }

  #header(block: Buffer): void {
    if (block.every((byte) => byte === 0)) {
      this.#state = "end";
      return;
    }
    const header = readUstar(block);
    if (header.type === "x") {
      if (header.size > MOST_PAX_BYTES) throw hostile("a PAX header is larger than any that is needed");
      this.#left = header.size;
      this.#paxPadding = paddingOf(header.size);
      this.#state = "pax";
      return;
    }
    const path = this.#pax.path ?? (header.prefix === "" ? header.name : `${header.prefix}/${header.name}`);
    const size = this.#pax.size ?? header.size;
    this.#pax = {};
    if (header.type === "5") {
      const fault = size === 0 ? nameFault(path.replace(/\/$/, "")) : "a folder with content";
      if (fault !== undefined) throw hostile(`${fault}: ${JSON.stringify(path.slice(0, 200))}`);
      return;
    }
    this.#begin({ path, size, mode: header.mode & 0o7777, mtime: header.mtime }, header.type);
  }

  #begin(head: MemberHead, type: string): void {
    const fault = this.#faultOf(head, type);
    if (fault !== undefined) throw hostile(`${fault}: ${JSON.stringify(head.path.slice(0, 200))}`);
    this.#visitor.begin(head);
    this.#left = head.size;
    this.#padding = paddingOf(head.size);
    this.#state = "content";
    if (head.size === 0) this.#endMember();
  }

  #faultOf(head: MemberHead, type: string): string | undefined {
    if (type !== "0") return `a member that is no regular file (${kindOf(type)})`;
    if (++this.#members > this.#limits.members) return "more members than the limit";
    if (head.size > this.#limits.memberBytes) return `a member of ${head.size} bytes, over the limit`;
    return nameFault(head.path) ?? this.#names.add(head.path);
  }

  #content(bytes: Buffer): number {
    const count = Math.min(bytes.length, this.#left);
    this.#visitor.content(bytes.subarray(0, count));
    this.#left -= count;
    if (this.#left === 0) this.#endMember();
    return count;
  }

  #endMember(): void {
    this.#visitor.end();
    this.#state = this.#padding > 0 ? "padding" : "header";
  }
}

const KINDS: Readonly<Record<string, string>> = {
  "\u0000": "old form",
  "1": "hard link",
  "2": "symbolic link",
  "3": "character device",
  "4": "block device",
  "6": "pipe",
  "7": "contiguous file",
  S: "sparse file",
  g: "global PAX header",
  L: "GNU long name",
  K: "GNU long link",
};

function kindOf(type: string): string {
  return KINDS[type] ?? `kind ${JSON.stringify(type)}`;
}
