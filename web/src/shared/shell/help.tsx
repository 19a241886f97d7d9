import { Kbd } from "@mantine/core";
import { DialogBox } from "../forms/dialogs.tsx";
import type { Shortcut } from "./shortcuts.tsx";

export interface HelpProps {
  readonly opened: boolean;
  readonly close: () => void;
  readonly shortcuts: readonly Shortcut[];
}

/** The list of keys. */
export function Help({ opened, close, shortcuts }: HelpProps) {
  return (
    <DialogBox isOpen={opened} close={close} title="Keyboard shortcuts">
      <table className="keys">
        <tbody>
          {shortcuts.map(({ keys, meaning }) => (
            <tr key={meaning}>
              <th scope="row">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </th>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </DialogBox>
  );
}
