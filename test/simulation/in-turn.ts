/** Runs steps one after the other; awaits only those that return a promise, so that synchronous worlds stay synchronous. */
export function inTurn(steps: Generator<void | Promise<void>>): void | Promise<void> {
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    if (step.value instanceof Promise) return step.value.then(() => inTurn(steps));
  }
}
