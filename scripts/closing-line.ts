import type { Reporter, SerializedError, TestModule } from "vitest/node";
import { closingLine, writeCounts } from "./counts.ts";

/**
 * Counts passed and failed tests of a run. Under `npm test` the counts are written to the file that NEST_TEST_COUNTS names, and
 * `npm test` prints them; without that file they are printed here. Skipped tests are listed first.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], stray: readonly SerializedError[] = []): void {
    let passed = 0;
    let failed = stray.length;
    let skipped = 0;
    for (const module of modules) {
      const failedBefore = failed;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "passed") passed += 1;
        else if (result.state === "skipped") {
          skipped += 1;
          if (result.note) console.log(`skipped: ${test.fullName}: ${result.note}`);
        } else failed += 1;
      }
      // A file that could not be loaded or set up counts as one failure, although none of its tests ran.
      if (module.state() === "failed" && failed === failedBefore) failed += 1;
    }
    if (skipped > 0) console.log(`${skipped} skipped`);
    const { NEST_TEST_COUNTS: file } = process.env;
    if (file === undefined) console.log(closingLine({ passed, failed }));
    else writeCounts(file, { passed, failed });
  }
}
