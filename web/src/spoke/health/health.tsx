import { health } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";

export function Health() {
  const alive = useQuery({
    queryKey: ["livez"],
    queryFn: async ({ signal }) => (await call(health.livez, { signal })).value,
  });
  return (
    <Panel id="health" title="Health">
      {alive.data === undefined ? <Loading /> : alive.data.status}
      {alive.error === null ? undefined : <LoadFailed problem={alive.error} />}
    </Panel>
  );
}
