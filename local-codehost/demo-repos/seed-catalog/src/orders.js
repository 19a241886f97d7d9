/** The price of one line of an order, in cents. */
export function linePrice(cents, quantity) {
  return cents * quantity;
}

/** The price of a whole order, in cents; each line is `[cents, quantity]`. */
export function calcTot(lines) {
  return lines.reduce((sum, [cents, quantity]) => sum + linePrice(cents, quantity), 0);
}
