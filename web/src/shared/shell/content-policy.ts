import { z } from "zod";

// Comes before everything else that the app loads.

// The page's policy forbids making code from text; the schemas would try, and every try would be reported.
z.config({ jitless: true });

/** What styles made at run time have to carry to be taken (the page's policy names it); absent when built for no hub. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.nonce ?? "";

// Where libraries below ours look for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
