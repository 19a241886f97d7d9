import { RE2JS } from "re2js";

/** An instruction of a compiled program, as re2js has it. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(character: number): boolean;
}

// The numbers that re2js gives its instructions; what it matches itself is held against what is matched here by a test.
const OP = { alt: 1, altMatch: 2, capture: 3, emptyWidth: 4, fail: 5, match: 6, nop: 7, rune: 8, anyNotNewline: 11 };
const AT = { lineStart: 1, lineEnd: 2, textStart: 4, textEnd: 8, wordEdge: 16, noWordEdge: 32 };
const NEWLINE = 10;

/**
 * Instructions looked at in one step: a few milliseconds even where this code runs for the first time and nothing of it is
 * compiled yet, which makes it thirty times slower than later.
 */
const VISITS_PER_STEP = 500;

/**
 * A regular expression in RE2 syntax, without regard to case, that is searched for in steps. The library's own search is one
 * call that nobody can interrupt; here everybody else can have a turn between two steps.
 */
export class Regex {
  readonly #program: readonly Instruction[];
  readonly #start: number;

  /** @throws RE2JSException when it is no regular expression. */
  constructor(source: string) {
    const { prog } = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).re2Input;
    this.#program = prog.inst;
    this.#start = prog.start;
  }

  /** Instructions of its program: a search looks at each at most once for every character. */
  get size(): number {
    return this.#program.length;
  }

  /** Ends with whether it is found anywhere in the text; each step before was about {@link VISITS_PER_STEP} instructions. */
  *search(text: string): Generator<void, boolean> {
    let here = new Places(this.size);
    let next = new Places(this.size);
    let visits = 0;
    let before = -1;
    for (let at = 0; ; ) {
      const character = text.codePointAt(at) ?? -1;
      if (this.#reach(here, this.#start, edgesBetween(before, character))) return true;
      if (character === -1) return false;
      at += character > 0xffff ? 2 : 1;
      const edges = edgesBetween(character, text.codePointAt(at) ?? -1);
      for (let place = 0; place < here.count; place += 1) {
        const instruction = this.#program[here.list[place] as number] as Instruction;
        if (!takes(instruction, character)) continue;
        if (this.#reach(next, instruction.out, edges)) return true;
      }
      visits += here.count + next.count + 1;
      [here, next] = [next, here];
      next.clear();
      before = character;
      if (visits < VISITS_PER_STEP) continue;
      visits = 0;
      yield;
    }
  }

  /** Adds what can be reached without another character; true when the end of the expression is among it. */
  #reach(places: Places, from: number, edges: number): boolean {
    const { pending } = places;
    pending.push(from);
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (!places.add(at)) continue;
      const instruction = this.#program[at] as Instruction;
      switch (instruction.op) {
        case OP.match:
          return true;
        case OP.alt:
        case OP.altMatch:
          pending.push(instruction.arg, instruction.out);
          break;
        case OP.capture:
        case OP.nop:
          pending.push(instruction.out);
          break;
        case OP.emptyWidth:
          if ((instruction.arg & ~edges) === 0) pending.push(instruction.out);
          break;
      }
    }
    return false;
  }
}

function takes(instruction: Instruction, character: number): boolean {
  const { op } = instruction;
  return op >= OP.rune && op <= OP.anyNotNewline && instruction.matchRune(character);
}

/** Where a search stands in the program: each place once, in the order they were reached. */
class Places {
  readonly list: Uint32Array;
  count = 0;
  readonly pending: number[] = [];
  readonly #where: Uint32Array;

  constructor(size: number) {
    this.list = new Uint32Array(size);
    this.#where = new Uint32Array(size);
  }

  /** False when it is there already. */
  add(place: number): boolean {
    const where = this.#where[place] as number;
    if (where < this.count && this.list[where] === place) return false;
    this.#where[place] = this.count;
    this.list[this.count] = place;
    this.count += 1;
    return true;
  }

  clear(): void {
    this.count = 0;
  }
}

function edgesBetween(before: number, after: number): number {
  let edges = isOfWord(before) === isOfWord(after) ? AT.noWordEdge : AT.wordEdge;
  if (before === -1) edges |= AT.textStart | AT.lineStart;
  if (before === NEWLINE) edges |= AT.lineStart;
  if (after === -1) edges |= AT.textEnd | AT.lineEnd;
  if (after === NEWLINE) edges |= AT.lineEnd;
  return edges;
}

/** As in RE2, a word's characters are of ASCII: digits, letters, the underscore. */
function isOfWord(character: number): boolean {
  if (character < 65) return character >= 48 && character <= 57;
  return character <= 90 || character === 95 || (character >= 97 && character <= 122);
}

// The library's code and tables are made ready when the hub starts, and not within an admin's first save: that takes 20 ms.
const OF_EVERY_KIND = ["(?:\\pL|[^\\pN\\W])x{2,3}|^[a-cx]*?$", "^(?:[\\pLa]?1){3}$", "[\\x{80}-\\x{8ff}]\\b."];
for (const source of OF_EVERY_KIND) for (let times = 0; times < 3; times += 1) new Regex(source).search("aé1").next();
