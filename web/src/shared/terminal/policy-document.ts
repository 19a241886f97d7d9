// The page's policy lets a style element in only with the page's nonce, and a style attribute not at all. xterm makes both: style
// elements for its colours and sizes, and an attribute for each cell with a colour of its own. It takes another document to make its
// elements with, and this one makes them so that the policy has nothing against them.

/** The page's document, whose new elements keep to the page's policy. */
export function policyDocument(nonce: string): Document {
  return new Proxy(document, {
    get(real, name) {
      if (name === "createElement") return (tag: string) => keepToPolicy(real.createElement(tag), nonce);
      const value: unknown = Reflect.get(real, name, real);
      return typeof value === "function" ? value.bind(real) : value;
    },
  });
}

/** Runs `act` while the page's own document makes its elements in the same way: xterm asks it for one of its style elements. */
export function withPolicyElements(nonce: string, act: () => void): void {
  const create = document.createElement.bind(document);
  const value = (tag: string) => keepToPolicy(create(tag), nonce);
  Object.defineProperty(document, "createElement", { configurable: true, value });
  try {
    act();
  } finally {
    // The document's own comes back from its prototype.
    Reflect.deleteProperty(document, "createElement");
  }
}

function keepToPolicy<Made extends HTMLElement>(made: Made, nonce: string): Made {
  if (made instanceof HTMLStyleElement) made.nonce = nonce;
  const setAttribute = made.setAttribute.bind(made);
  made.setAttribute = (name, value) => {
    // The same style through the element's own object is no inline style to the policy.
    if (name === "style") made.style.cssText = value;
    else setAttribute(name, value);
  };
  return made;
}
