import "./player.css";
import { ActionIcon, Checkbox, SegmentedControl } from "@mantine/core";
import {
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconRewindBackward5,
  IconRewindForward5,
} from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { Empty, LoadFailed, Loading } from "../../../shared/states/states.tsx";
import { type Cast, lengthOf, readCast, squeezeIdle } from "./cast.ts";
import { speeds } from "./playback.ts";
import { fetchRecording } from "./recording.ts";
import { usePlayback } from "./use-playback.ts";

export interface PlayerProps {
  readonly id: string;
  /** The run goes on: the recording is read again and again. */
  readonly isGoingOn: boolean;
}

const EVERY_MS = 4000;
const IDLE_MS = 2000;
const STEP_MS = 5000;

/** Plays the recording of a run's terminal, also while the run goes on. */
export function Player({ id, isGoingOn }: PlayerProps) {
  const [isSqueezed, setSqueezed] = useState(true);
  const { data, error, refetch } = useQuery({
    // A run that has ended is read once more: its last lines came after what was read while it went on.
    queryKey: ["recording", id, isGoingOn],
    queryFn: ({ signal }) => fetchRecording(id, signal),
    refetchInterval: isGoingOn ? EVERY_MS : false,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const cast = useMemo(() => {
    const read = data === undefined ? undefined : readCast(data);
    return read !== undefined && isSqueezed ? squeezeIdle(read, IDLE_MS) : read;
  }, [data, isSqueezed]);
  if (data === undefined)
    return error === null ? <Loading rows={6} /> : <LoadFailed problem={error} again={() => void refetch()} />;
  if (data === "" && isGoingOn) return <Empty>Nothing is recorded yet: its agent is about to start.</Empty>;
  if (cast === undefined) return <Empty>This recording cannot be read.</Empty>;
  return (
    // Squeezed or not are two recordings with other moments: the player begins anew.
    <Controls
      key={String(isSqueezed)}
      cast={cast}
      startsAtEnd={isGoingOn}
      squeeze={
        <Checkbox
          size="xs"
          label="Squeeze idle time"
          checked={isSqueezed}
          onChange={(event) => setSqueezed(event.currentTarget.checked)}
        />
      }
    />
  );
}

interface ControlsProps {
  readonly cast: Cast;
  readonly startsAtEnd: boolean;
  readonly squeeze: React.ReactNode;
}

function Controls({ cast, startsAtEnd, squeeze }: ControlsProps) {
  const { box, state, act } = usePlayback(cast, startsAtEnd);
  const length = lengthOf(cast);
  const { position, isPlaying, speed } = state;
  const press = (event: Pressed) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isOwnKey(event)) return;
    const keys: Readonly<Record<string, () => void>> = {
      " ": () => act((playback) => (isPlaying ? playback.pause() : playback.play())),
      ArrowLeft: () => act((playback) => playback.seek(position - STEP_MS)),
      ArrowRight: () => act((playback) => playback.seek(position + STEP_MS)),
      Home: () => act((playback) => playback.seek(0)),
      End: () => act((playback) => playback.seek(length)),
    };
    const doIt = keys[event.key];
    if (doIt === undefined) return;
    event.preventDefault();
    doIt();
  };
  const player = useKeysOfPage(press);
  return (
    <section ref={player} className="player" aria-label="Player" onKeyDown={press}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and takes the player's keys */}
      <section className="terminal-box" ref={box} tabIndex={0} aria-label="What the terminal showed" />
      <div className="player-bar">
        <ActionIcon
          variant="filled"
          size="lg"
          aria-label={isPlaying ? "Pause" : "Play"}
          onClick={() => act((playback) => (isPlaying ? playback.pause() : playback.play()))}
        >
          {isPlaying ? <IconPlayerPauseFilled size={18} /> : <IconPlayerPlayFilled size={18} />}
        </ActionIcon>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label="Five seconds back"
          onClick={() => act((playback) => playback.seek(position - STEP_MS))}
        >
          <IconRewindBackward5 size={18} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label="Five seconds on"
          onClick={() => act((playback) => playback.seek(position + STEP_MS))}
        >
          <IconRewindForward5 size={18} />
        </ActionIcon>
        <input
          type="range"
          className="seek"
          aria-label="Where in the recording"
          aria-valuetext={`${clock(position)} of ${clock(length)}`}
          min={0}
          max={Math.max(1, Math.ceil(length))}
          step={100}
          value={position}
          onChange={(event) => {
            const to = Number(event.currentTarget.value);
            act((playback) => playback.seek(to));
          }}
        />
        <span className="number small">
          {clock(position)} / {clock(length)}
        </span>
        <SegmentedControl
          size="xs"
          aria-label="Speed"
          value={String(speed)}
          data={speeds.map((one) => ({ value: String(one), label: `${one}×` }))}
          onChange={(value) => act((playback) => playback.setSpeed(speeds.find((one) => String(one) === value) ?? 1))}
        />
        {squeeze}
      </div>
    </section>
  );
}

/** A key, as React or the page tells of it. */
interface Pressed extends Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "preventDefault"> {
  readonly target: EventTarget | null;
}

/** Gives keys that nothing on the page has the focus for to the player, while one sees it. */
function useKeysOfPage(press: (event: Pressed) => void): RefObject<HTMLElement | null> {
  const player = useRef<HTMLElement>(null);
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const onKey = (event: Pressed) => {
      const { top = 0, bottom = 0 } = player.current?.getBoundingClientRect() ?? {};
      if (event.target === document.body && bottom > 0 && top < window.innerHeight) latest.current(event);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return player;
}

/** Whether a key belongs to the control that has the focus. */
function isOwnKey({ key, target }: Pressed): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "range" || key !== " ";
  return target instanceof HTMLButtonElement && key === " ";
}

/** `1:05`. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
