import { NestError } from "@nest/kit";
import { blobAbsent, blobExists } from "./blobs.ts";

interface SdkFault {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The HTTP status of a storage error; undefined when there was no answer. */
export function statusOf(thrown: unknown): number | undefined {
  return (thrown as SdkFault | undefined)?.$metadata?.httpStatusCode;
}

/** Converts a storage error to a NestError; any other error is returned unchanged. */
export function storageFault(thrown: unknown, name: string): unknown {
  if (thrown instanceof NestError) return thrown;
  const fault = thrown as SdkFault;
  const said = fault.name ?? "no reason";
  const status = statusOf(thrown);
  if (fault.name === "NoSuchBucket") {
    return new NestError("storage_failed", "the bucket does not exist", {
      hint: "check NEST_BACKUP_BUCKET and the endpoint",
    });
  }
  if (status === 404) return blobAbsent(name);
  if (status === 412) return blobExists(name);
  if (status === 401 || status === 403) {
    return new NestError("storage_forbidden", `the storage refuses: ${said}`, {
      hint: "check the storage credentials and what they allow",
      cause: thrown,
    });
  }
  if (status !== undefined)
    return new NestError("storage_failed", `the storage answered ${status}: ${said}`, { cause: thrown });
  return new NestError("storage_unreachable", `the storage does not answer: ${fault.message ?? said}`, {
    cause: thrown,
  });
}
