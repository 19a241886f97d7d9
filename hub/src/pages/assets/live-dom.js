// The few things the live page does to the document. Text from the hub goes in by textContent only.

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found;
}

/** @param {string} tag @param {string} className @param {string} [text] */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** A link, or the bare text where there is nowhere safe to go. */
export function linkOr(href, className, text) {
  if (href === undefined) return element("span", className, text);
  const link = element("a", className, text);
  link.href = href;
  link.rel = "noopener noreferrer";
  return link;
}

/** A span whose text the page keeps up to date: time since, or ago. */
export function timeSince(className, iso, ago) {
  const span = element("time", className);
  span.dateTime = iso;
  span.dataset.since = String(Date.parse(iso));
  if (ago) span.dataset.ago = "";
  return span;
}

/**
 * Runs `change`, which may add lines above the first one of `list`, and lets the lines that were there slide to their new
 * places: nothing jumps from under a finger. Where somebody has scrolled down in the list, what they read stays in place.
 */
export function slideDown(list, change) {
  const first = list.firstElementChild;
  const before = first?.offsetTop;
  change();
  const movedBy = first?.parentElement === list ? first.offsetTop - before : 0;
  if (movedBy === 0) return;
  if (list.parentElement.scrollTop > 0) {
    list.parentElement.scrollTop += movedBy;
    return;
  }
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  list.animate([{ transform: `translateY(${-movedBy}px)` }, { transform: "none" }], {
    duration: isCalm ? 1 : 350,
    easing: "ease-out",
  });
}

/** One section of the page: its list, what it says when empty, and how many more there are. */
export class Listing {
  #list;
  #empty;
  #more;
  #tally;
  #limit;
  #nodes = new Map();

  constructor(id, limit) {
    this.#list = byId(`${id}-list`);
    this.#empty = byId(`${id}-empty`);
    this.#more = byId(`${id}-more`);
    this.#tally = byId(`${id}-tally`);
    this.#limit = limit;
  }

  /**
   * Shows `items`. A row whose key and content are unchanged is left alone, so focus and screen readers are not disturbed.
   * `total` is how many there are in all, where that is more than was sent.
   */
  show({ items, keyOf, make, whenEmpty, total = items.length, tally = false }) {
    const kept = items.slice(0, this.#limit);
    const before = this.#nodes;
    this.#nodes = new Map();
    let place = this.#list.firstElementChild;
    for (const item of kept) {
      const key = keyOf(item);
      const content = JSON.stringify(item);
      let row = before.get(key);
      if (row === undefined) {
        row = { node: element("li", ""), content: undefined };
      }
      if (row.content !== content) {
        row.node.replaceChildren(...make(item));
        row.content = content;
      }
      before.delete(key);
      this.#nodes.set(key, row);
      if (row.node === place) place = place.nextElementSibling;
      else this.#list.insertBefore(row.node, place);
    }
    for (const { node } of before.values()) node.remove();
    this.#empty.hidden = kept.length > 0;
    this.#empty.textContent = whenEmpty;
    this.#more.hidden = total <= kept.length;
    this.#more.textContent = `and ${(total - kept.length).toLocaleString("en")} more`;
    this.#tally.textContent = tally && total > 0 ? total.toLocaleString("en") : "";
  }
}
