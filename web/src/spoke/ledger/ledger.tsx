export function Ledger() {
  return <h1>Ledger</h1>;
}
