import type { Checkout } from "./checkout.ts";
import { addDocComment, addFunction, addGuard, addTest, makeStrict, rename, repair } from "./code-changes.ts";
import { addEntry, addField, sortEntries } from "./data-changes.ts";
import {
  addFile,
  addLine,
  addSection,
  addToList,
  changeConstant,
  documentEnvironment,
  removeLines,
  replaceText,
  sortList,
} from "./text-changes.ts";
import type { Wish } from "./wishes.ts";

/** Does what is wished, and says what was done in a line fit for a commit. @throws Unacceptable when it cannot be done */
export function fulfil(checkout: Checkout, wish: Wish): Promise<string> {
  switch (wish.kind) {
    case "replace":
      return replaceText(checkout, wish);
    case "constant":
      return changeConstant(checkout, wish);
    case "guard":
      return addGuard(checkout, wish);
    case "function":
      return addFunction(checkout, wish);
    case "test":
      return addTest(checkout, wish);
    case "repair":
      return repair(checkout, wish);
    case "environment":
      return documentEnvironment(checkout, wish);
    case "section":
      return addSection(checkout, wish);
    case "remove-lines":
      return removeLines(checkout, wish);
    case "entry":
      return addEntry(checkout, wish);
    case "field":
      return addField(checkout, wish);
    case "sort-entries":
      return sortEntries(checkout, wish);
    case "sort-list":
      return sortList(checkout, wish);
    case "rename":
      return rename(checkout, wish);
    case "doc-comment":
      return addDocComment(checkout, wish);
    case "strict-shell":
      return makeStrict(checkout, wish);
    case "line":
      return addLine(checkout, wish);
    case "list-line":
      return addToList(checkout, wish);
    case "file":
      return addFile(checkout, wish);
  }
}
