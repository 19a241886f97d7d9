import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** Prints the one line a machine reads at the end of a run: `N passed, N failed`. What was skipped is told before it. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], stray: readonly SerializedError[] = []): void {
    let passed = 0;
    let failed = stray.length + (process.env.NEST_CHECKS_FAILED === "1" ? 1 : 0);
    let skipped = 0;
    for (const module of modules) {
      let ran = 0;
      for (const test of module.children.allTests()) {
        const result = test.result();
        ran += 1;
        if (result.state === "passed") passed += 1;
        else if (result.state === "skipped") {
          skipped += 1;
          if (result.note) console.log(`skipped: ${test.fullName}: ${result.note}`);
        } else failed += 1;
      }
      if (module.state() === "failed" && ran === 0) failed += 1;
    }
    if (skipped > 0) console.log(`${skipped} skipped`);
    console.log(`${passed} passed, ${failed} failed`);
  }
}
