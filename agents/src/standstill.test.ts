import { expect, test } from "vitest";
import { standstillIn } from "./standstill.ts";

test.each([
  ["Claude usage limit reached. Your limit will reset at 3pm.", "quota"],
  ["5-hour limit reached ∙ resets 3pm", "quota"],
  ["■ You've hit your usage limit. Try again at 4:12 PM.", "quota"],
  ["You have exceeded your premium request allowance.", "quota"],
  ['{"error":{"code":"insufficient_quota"}}', "quota"],
  ["Invalid API key · Please run /login", "login"],
  ["ERROR: unexpected status 401 Unauthorized", "login"],
  ["Error: No authentication information found.", "login"],
  ["3 tests failed", undefined],
  ["the limit of the list is reached", undefined],
  [`rate limit exceeded${"\nsomething else".repeat(20)}`, undefined],
])("an agent whose last words are %j cannot go on for: %s", (output, standstill) => {
  expect(standstillIn(output)).toBe(standstill);
});
