export { Ledger, type LedgerEvent, type LedgerOptions } from "./ledger/ledger.ts";
