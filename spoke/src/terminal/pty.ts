import type { AttachCommand } from "@nest/governor";

/** A program at a pseudo-terminal. */
export interface Pty {
  onOutput(listener: (bytes: Buffer) => void): void;
  onExit(listener: () => void): void;
  write(bytes: Buffer): void;
  resize(columns: number, rows: number): void;
  /** Stops reading: the program waits once the system's own buffer is full. */
  pause(): void;
  resume(): void;
  /** Hangs up, as a terminal does that is closed. */
  close(): void;
}

export type OpenPty = (command: AttachCommand) => Promise<Pty>;

/** Before the viewer has said how large it is. */
const FIRST_SIZE = { cols: 80, rows: 24 } as const;

/** Opens pseudo-terminals for programs that get these variables and no others. */
export function ptyOpener(environment: Readonly<Record<string, string>>): OpenPty {
  return async ({ program, args }) => {
    // Loaded by the first viewer: a nest whose terminals nobody looks at does without native code.
    const { spawn } = await import("@lydell/node-pty");
    const env = { ...environment, TERM: "xterm-256color" };
    const child = spawn(program, [...args], { ...FIRST_SIZE, name: env.TERM, cwd: "/", env, encoding: null });
    let isOver = false;
    child.onExit(() => {
      isOver = true;
    });
    return {
      // Without an encoding it gives and takes bytes, whatever its types say.
      onOutput: (listener) => void child.onData((bytes) => listener(bytes as unknown as Buffer)),
      onExit: (listener) => void child.onExit(listener),
      write: (bytes) => {
        if (!isOver) child.write(bytes as unknown as string);
      },
      resize: (columns, rows) => {
        if (!isOver) child.resize(columns, rows);
      },
      pause: () => child.pause(),
      resume: () => child.resume(),
      close: () => {
        if (!isOver) child.kill("SIGHUP");
      },
    };
  };
}
