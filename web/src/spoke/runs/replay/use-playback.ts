import { type RefObject, useEffect, useRef, useState } from "react";
import { openTerminal } from "../../../shared/terminal/terminal.ts";
import type { Cast } from "./cast.ts";
import { Playback, type PlaybackState } from "./playback.ts";

export interface PlaybackHere {
  /** Where the terminal is put. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly state: PlaybackState;
  /** Does something to the playback and shows what became of it. */
  readonly act: (what: (playback: Playback) => void) => void;
}

const AT_START: PlaybackState = { position: 0, isPlaying: false, speed: 1 };

/** Plays a recording in a terminal of this page. Text of the recording goes to the terminal and nowhere else. */
export function usePlayback(cast: Cast, startsAtEnd: boolean): PlaybackHere {
  const box = useRef<HTMLDivElement>(null);
  const playback = useRef<Playback>(undefined);
  const first = useRef({ cast, startsAtEnd });
  const [state, setState] = useState<PlaybackState>(AT_START);

  useEffect(() => {
    if (box.current === null) return;
    const terminal = openTerminal(box.current, { disableStdin: true, cursorInactiveStyle: "none", scrollback: 2000 });
    // It can only be read: the Tab key goes past it, and its keys are the player's.
    if (terminal.textarea !== undefined) terminal.textarea.tabIndex = -1;
    terminal.attachCustomKeyEventHandler(() => false);
    const made = new Playback(first.current.cast, {
      print: (text) => terminal.write(text),
      size: (columns, rows) => terminal.resize(columns, rows),
      clear: () => terminal.reset(),
    });
    if (first.current.startsAtEnd) made.seek(made.length);
    else made.play();
    playback.current = made;
    setState(made.state);
    return () => {
      playback.current = undefined;
      terminal.dispose();
    };
  }, []);

  useEffect(() => {
    if (playback.current === undefined) return;
    playback.current.extend(cast);
    setState(playback.current.state);
  }, [cast]);

  const { isPlaying } = state;
  useEffect(() => {
    if (!isPlaying) return;
    let frame = requestAnimationFrame(start);
    function start(began: number): void {
      let before = began;
      const step = (now: number) => {
        playback.current?.advance(now - before);
        before = now;
        if (playback.current !== undefined) setState(playback.current.state);
        frame = requestAnimationFrame(step);
      };
      frame = requestAnimationFrame(step);
    }
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);

  const act = (what: (one: Playback) => void) => {
    if (playback.current === undefined) return;
    what(playback.current);
    setState(playback.current.state);
  };
  return { box, state, act };
}
