import type { nests } from "@nest/protocol";
import { operationWords, statusWords, toneOf } from "./nest-words.ts";

/** Where a nest stands, and what is under way on it. */
export function StatusMark({ status, operation }: Pick<nests.NestRow, "status" | "operation">) {
  const isSaid = (status === "provisioning" && operation === "provision") || operation === undefined;
  return (
    <>
      <span className="mark nest-status" data-tone={toneOf(status)}>
        {statusWords(status)}
      </span>{" "}
      {isSaid ? undefined : <span className="soft small">{operationWords(operation)}</span>}
    </>
  );
}
