import { z } from "zod";

// This module has to be imported before every other one.

// The page's policy forbids compiling code from text. zod would try to, and the browser would report each try.
z.config({ jitless: true });

export { styleNonce } from "./style-nonce.ts";
