import { numbers } from "@nest/protocol";
import type { HubRoutes } from "../access/viewer.ts";
import type { NumbersReadModel } from "./numbers-read-model.ts";

/** Serves numbers over time to admins: they name every repository, also those that are not public. */
export function registerStatisticsRoutes(
  routes: HubRoutes,
  { readModel }: { readonly readModel: NumbersReadModel },
): void {
  routes.serve(numbers.numbers, ({ query }) => readModel.read(query));
}
