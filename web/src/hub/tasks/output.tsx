import { Button } from "@mantine/core";
import { tasks } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef } from "react";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { saveAs } from "../../shared/files/save-as.ts";
import { duration } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { useWho } from "../../shared/session/session.ts";
import { Empty, LoadFailed } from "../../shared/states/states.tsx";
import { attempt, showToast } from "../../shared/toast/toast.tsx";

const AGAIN_MS = 10_000;

/** What the task's agent printed last. The hub gives it to admins and to the contributor whose task it is; others see nothing. */
export function Output({ task }: { readonly task: tasks.TaskReply["task"] }) {
  const who = useWho();
  const isLive = task.status !== "ended";
  const { data, error, refetch } = useQuery({
    queryKey: ["task-output", task.task_id],
    queryFn: async ({ signal }) => (await call(tasks.output, { params: { id: task.task_id }, signal })).value,
    enabled: who?.authenticated === true,
    refetchInterval: isLive ? AGAIN_MS : false,
  });
  if (who?.authenticated !== true) return undefined;
  if (error !== null && data === undefined)
    return (
      <Panel id="output" title="What the agent printed">
        <LoadFailed problem={error} again={() => void refetch()} />
      </Panel>
    );
  if (data?.allowed !== true) return undefined;
  if (data.output !== undefined) return <Shown name={task.task_id} at={data.output.at} text={data.output.text} />;
  return (
    <Panel id="output" title="What the agent printed">
      <Empty>{isLive ? "Nothing yet. Relays report it every two minutes." : "Nothing is kept of it."}</Empty>
    </Panel>
  );
}

interface ShownProps {
  /** What the file is called that it is saved as. */
  readonly name: string;
  readonly at: string;
  readonly text: string;
}

function Shown({ name, at, text }: ShownProps) {
  const now = useServerNow();
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (text !== "" && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  const tools = (
    <div className="card-acts">
      <Button size="compact-sm" variant="default" onClick={() => copy(text)}>
        Copy
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => saveAs(`${name}.txt`, text, "text/plain")}>
        Download
      </Button>
    </div>
  );
  return (
    <Panel id="output" title="What the agent printed" tools={tools}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keyboard. */}
      <section className="printed" ref={box} tabIndex={0} aria-label="What the agent printed last">
        <pre>{text}</pre>
      </section>
      <p className="pad soft small">As its relay reported it {duration(now - Date.parse(at))} ago.</p>
    </Panel>
  );
}

/** Browsers let only pages of a secure address copy. */
function copy(text: string): void {
  if (navigator.clipboard === undefined)
    showToast("This browser copies nothing from a page without HTTPS: download it.");
  else attempt(() => navigator.clipboard.writeText(text), "What the agent printed is copied.");
}
