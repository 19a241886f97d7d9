import * as csstree from "css-tree";

/** Everything a custom stylesheet says holds inside this element only. */
const SCOPE = "#leaderboard";
/** The largest custom stylesheet that is read. */
export const STYLE_BYTES = 128 * 1024;

export interface CleanStyle {
  readonly css: string;
  readonly dropped: number;
  /** Why, each reason once, the first of its kind named. */
  readonly reasons: readonly string[];
}

/** Blocks inside blocks that a stylesheet may have; more is an attempt to exhaust the parser. */
const DEEPEST = 32;
const MOST_REASONS = 100;
const MOST_FAULTS = 200;
const GROUPS: ReadonlySet<string> = new Set(["media", "supports", "container"]);
const KEYFRAMES = /^(?:-webkit-|-moz-)?keyframes$/;
/** Values that make a browser fetch, run or embed something. */
const FETCHING =
  /^(?:url|src|image|image-set|-webkit-image-set|cross-fade|-webkit-cross-fade|element|paint|expression|env)$/i;
const FORBIDDEN_PROPERTY = /^(?:behavior|-moz-binding|-ms-behavior|contain|content-visibility|view-transition-name)$/i;
const INLINE_DATA = /^data:(?:image\/(?:png|jpeg|gif|webp|avif)|font\/(?:woff2?|ttf|otf));base64,[A-Za-z0-9+/=]*$/i;
const POSITIONS: ReadonlySet<string> = new Set(["static", "relative", "absolute"]);
/** A browser looks at everything below an element for each of these, again whenever something changes. */
const MOST_HAS = 10;
/** What stands for the page in somebody's stylesheet stands for the scope here. */
const ROOTS: ReadonlySet<string> = new Set(["html", "body", ":root", ":host", "#tab-leaderboard", SCOPE]);

/**
 * A custom stylesheet made harmless: parsed, never edited as text. Every selector is confined to {@link SCOPE}; what could
 * fetch, import, cover the page or hide behind an escape is left out and counted.
 */
export function cleanStyle(source: string): CleanStyle {
  const drops = new Drops();
  if (Buffer.byteLength(source) > STYLE_BYTES) {
    drops.add("the whole stylesheet: larger than 128 KiB");
    return { css: "", ...drops.told() };
  }
  if (depthOf(source) > DEEPEST) {
    drops.add("the whole stylesheet: blocks too deep inside each other");
    return { css: "", ...drops.told() };
  }
  let faults = 0;
  try {
    const sheet = csstree.parse(source, {
      positions: true,
      parseCustomProperty: true,
      onParseError: (error) => {
        drops.add(`not readable: ${error.message}`);
        faults += 1;
        // Each fault makes the parser begin anew; a stylesheet that somebody wrote to be read has few.
        if (faults > MOST_FAULTS) throw new Error("too many faults to go on");
      },
    }) as csstree.StyleSheet;
    sheet.children = sheet.children.filter((node) => keepsRule(node, source, drops, false));
    return { css: csstree.generate(sheet), ...drops.told() };
  } catch (thrown) {
    drops.add(`the whole stylesheet: ${thrown instanceof Error ? thrown.message : "not readable"}`);
    return { css: "", ...drops.told() };
  }
}

class Drops {
  #count = 0;
  #has = 0;
  readonly #reasons = new Set<string>();

  add(reason: string): false {
    this.#count += 1;
    if (this.#reasons.size < MOST_REASONS) this.#reasons.add(reason.slice(0, 200));
    return false;
  }

  /** Counts one more selector with `:has()`. */
  mayStillHave(): boolean {
    this.#has += 1;
    return this.#has <= MOST_HAS;
  }

  told(): { dropped: number; reasons: string[] } {
    return { dropped: this.#count, reasons: [...this.#reasons] };
  }
}

/** Cleans one rule in place; false when nothing of it can stay. */
function keepsRule(node: csstree.CssNode, source: string, drops: Drops, inKeyframes: boolean): boolean {
  if (node.type === "Comment" || node.type === "WhiteSpace") return false;
  if (node.type === "Rule") {
    if (node.prelude.type !== "SelectorList") return drops.add("a rule whose selector is not readable");
    if (hasEscape(node.prelude, source)) return drops.add("a selector with an escape");
    if (!inKeyframes) {
      node.prelude.children = node.prelude.children.filter((selector) => isScoped(selector, drops));
      if (node.prelude.children.isEmpty) return false;
    }
    node.block.children = node.block.children.filter((one) => keepsDeclaration(one, source, drops));
    return !node.block.children.isEmpty;
  }
  if (node.type !== "Atrule") return drops.add("something that is neither a rule nor a comment");
  const name = node.name.toLowerCase();
  const keyframes = KEYFRAMES.test(name);
  if (!GROUPS.has(name) && !keyframes) return drops.add(`@${name}`);
  if (node.block === null) return drops.add(`@${name} without a block`);
  if (node.prelude !== null && (hasEscape(node.prelude, source) || fetches(node.prelude)))
    return drops.add(`@${name} with an escape or an address`);
  node.block.children = node.block.children.filter((one) => keepsRule(one, source, drops, inKeyframes || keyframes));
  return !node.block.children.isEmpty;
}

function keepsDeclaration(node: csstree.CssNode, source: string, drops: Drops): boolean {
  if (node.type === "Comment" || node.type === "WhiteSpace") return false;
  if (node.type !== "Declaration") return drops.add("a rule inside a rule");
  const property = node.property;
  if (FORBIDDEN_PROPERTY.test(property)) return drops.add(property);
  if (hasEscape(node, source)) return drops.add(`${property} with an escape`);
  // A value that could not be parsed is text nobody has looked at.
  if (node.value.type === "Raw" && /[(\\@]/.test(node.value.value))
    return drops.add(`${property} with a value not readable`);
  if (fetches(node.value)) return drops.add(`${property} with an address outside the stylesheet`);
  // A keyword decides here, so only a keyword will do: what `var()` stands for is known in the browser alone.
  if (property.toLowerCase() === "position" && !POSITIONS.has(csstree.generate(node.value).toLowerCase()))
    return drops.add("position other than static, relative or absolute");
  return true;
}

function hasEscape(node: csstree.CssNode, source: string): boolean {
  const { loc } = node;
  return loc == null || source.slice(loc.start.offset, loc.end.offset).includes("\\");
}

/** Whether something in a value makes the browser fetch. Data that is inside the stylesheet is fine. */
function fetches(node: csstree.CssNode): boolean {
  return (
    csstree.find(node, (one) => {
      if (one.type === "Url") return !INLINE_DATA.test(String(one.value));
      if (one.type === "Function") return FETCHING.test(one.name);
      return one.type === "Raw" && /url|image|src|element|\\/i.test(one.value);
    }) !== null
  );
}

/** Puts the scope in front of a selector; false for one that could reach outside of it. */
function isScoped(selector: csstree.CssNode, drops: Drops): boolean {
  if (selector.type !== "Selector") return drops.add("a selector that is not readable");
  if (csstree.find(selector, (node) => node.type === "NestingSelector" || node.type === "Raw") !== null)
    return drops.add("a selector that is not readable");
  if (csstree.find(selector, (node) => node.type === "PseudoClassSelector" && /^has$/i.test(node.name)) !== null)
    if (!drops.mayStillHave()) return drops.add("more selectors with :has() than a browser should bear");
  const parts = selector.children;
  const first = parts.first;
  if (first === null || first.type === "Combinator") return drops.add("a selector that begins in the air");
  const scope: csstree.CssNode = { type: "IdSelector", name: SCOPE.slice(1) };
  if (ROOTS.has(csstree.generate(first).toLowerCase())) {
    parts.shift();
    const next = parts.toArray().find((node) => node.type === "Combinator");
    if (next?.type === "Combinator" && next.name !== " " && next.name !== ">")
      return drops.add("a selector that reaches beside the leaderboard");
    // `html body .row`: the second root is the same element here.
    while (parts.first?.type === "Combinator" && ROOTS.has(csstree.generate(second(parts)).toLowerCase())) {
      parts.shift();
      parts.shift();
    }
    const after = parts.toArray().find((node) => node.type === "Combinator");
    if (after?.type === "Combinator" && after.name !== " " && after.name !== ">")
      return drops.add("a selector that reaches beside the leaderboard");
    parts.prependData(scope);
    return true;
  }
  parts.prependData({ type: "Combinator", name: " " });
  parts.prependData(scope);
  return true;
}

function second(parts: csstree.List<csstree.CssNode>): csstree.CssNode {
  return parts.toArray()[1] ?? { type: "Combinator", name: " " };
}

function depthOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of source) {
    if (character === "{" || character === "(" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === ")" || character === "]") depth = Math.max(0, depth - 1);
  }
  return deepest;
}
