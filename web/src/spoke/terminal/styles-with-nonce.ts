// The page's policy takes a style element that a script makes only with the nonce of this page. The terminal's library makes
// some and knows nothing of nonces, so every style element gets it when it is made. This module has to be imported before it.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.nonce ?? "";
const make = document.createElement.bind(document);

document.createElement = ((name: string, options?: ElementCreationOptions) => {
  const element = make(name, options);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
}) as typeof document.createElement;
