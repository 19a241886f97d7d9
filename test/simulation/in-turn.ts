/** Goes through what answers at once without ever waiting, and waits for the rest. */
export function inTurn(steps: Generator<void | Promise<void>>): void | Promise<void> {
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    if (step.value instanceof Promise) return step.value.then(() => inTurn(steps));
  }
}
