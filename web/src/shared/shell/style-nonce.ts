/** The nonce that the page's policy asks of styles made at run time; empty when the page has none. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.nonce ?? "";

// The libraries that make those styles look for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
