import type { Environment } from "@nest/kit";

export async function runUp(_args: readonly string[], _environment: Environment): Promise<void> {}
