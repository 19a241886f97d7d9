import type { contributors } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { withPart } from "../../shared/lazy/lazy-part.ts";

/** Whom an admin writes to, and about which task, if about one. */
export interface Recipient {
  readonly id: string;
  readonly login: string;
  readonly taskId?: string;
}

/** Opens the form for a message; it is loaded when it is first needed. */
export function askToWrite(to: Recipient): void {
  withPart(
    () => import("./message-form.tsx"),
    ({ openMessageForm }) => openMessageForm(to),
  );
}

/** What admins wrote to a contributor, newest first; nothing while there is nothing. */
export function Messages({ messages }: { readonly messages: readonly contributors.Message[] }) {
  const now = useServerNow();
  if (messages.length === 0) return undefined;
  return (
    <Panel id="messages" title="Messages from admins">
      <ul className="plain-list">
        {messages.map(({ at, by, text, task_id }) => (
          <li key={at}>
            <p>
              <bdi>{text}</bdi>
            </p>
            <p className="facts">
              <bdi>{by}</bdi>
              <time dateTime={at}>{duration(now - Date.parse(at))} ago</time>
              {task_id === undefined ? undefined : (
                <Link to="/tasks/$id" params={{ id: task_id } as never}>
                  about a task
                </Link>
              )}
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
