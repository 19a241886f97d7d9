import { useIntersection } from "@mantine/hooks";
import { nestAgents } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";

const EVERY_MS = 2000;
const LINES = 14;

/** An agent's terminal as text, read again and again only while it runs and can be seen. */
export function ScreenThumbnail({ agent: { name, state } }: { readonly agent: nestAgents.NestAgent }) {
  const { ref, entry } = useIntersection();
  const isWanted = state === "running" && entry?.isIntersecting === true;
  const { data, error } = useQuery({
    queryKey: ["screen", name],
    queryFn: async ({ signal }) => (await call(nestAgents.screen, { params: { name }, signal })).value,
    enabled: isWanted,
    staleTime: 0,
    refetchInterval: EVERY_MS,
    retry: false,
  });
  const lines = data?.lines.slice(-LINES) ?? [];
  return (
    <figure className="screen" ref={ref} data-old={error !== null || undefined}>
      <figcaption className="hidden">The terminal of {name}</figcaption>
      {lines.length === 0 ? (
        <p className="soft small">
          {error !== null
            ? "Its terminal cannot be read at the moment."
            : data === undefined
              ? "…"
              : "Its terminal is empty."}
        </p>
      ) : (
        <pre>{lines.join("\n")}</pre>
      )}
    </figure>
  );
}
