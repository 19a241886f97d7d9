export { Budget } from "./budget.ts";
export { clearCookie, cookieIn, cookiesOf, setCookie } from "./cookies.ts";
export { DeviceSignIn } from "./device-sign-in.ts";
export { bearerOf, sameSecret } from "./secrets.ts";
export { SESSION_MS, Sessions, type SessionUsers, type SignedIn } from "./sessions.ts";
export { type Once, pathHere, SignIn } from "./sign-in.ts";
export { Signer } from "./signer.ts";
export { Throttle, tooMany } from "./throttle.ts";
export { tokenDigest } from "./token-digest.ts";
