export { newBeadId } from "./ledger/book/bead-id.ts";
