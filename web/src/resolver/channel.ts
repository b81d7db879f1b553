import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { StepKind } from './engine';

/** A step for the presenter, with results that the audience does not see yet. */
export interface StepDescription {
  kind: StepKind;
  /** On the scoreboard. */
  rank: number;
  /** The rank of the award, if it differs. */
  shared: number | undefined;
  team: string;
  organization: string;
  problem: string;
  /** The result of a highlighted problem. */
  isSolved: boolean;
  points: string;
  from: number;
  to: number;
  awards: string[];
  /** Whether the awards are shown on a card. */
  isNotable: boolean;
}

export interface Hint {
  step: number;
  steps: number;
  title: string;
  now: StepDescription;
  next: StepDescription[];
}

export type Command = 'forward' | 'back' | 'auto';
type Message = { hint: Hint } | { command: Command } | 'hello';

const nameOf = (contest: string) => `tautochrone-resolver-${contest}`;

/** Sends the presenter window what is shown and what comes next, and receives its commands. */
export function useStageChannel(contest: string, hint: Hint, onCommand: (command: Command) => void) {
  const channel = useRef<BroadcastChannel | undefined>(undefined);
  const onMessage = useEffectEvent((message: Message) => {
    if (message === 'hello') channel.current?.postMessage({ hint } satisfies Message);
    else if ('command' in message) onCommand(message.command);
  });
  useEffect(() => {
    const opened = new BroadcastChannel(nameOf(contest));
    channel.current = opened;
    opened.onmessage = ({ data }: MessageEvent<Message>) => onMessage(data);
    return () => opened.close();
  }, [contest]);
  useEffect(() => {
    channel.current?.postMessage({ hint } satisfies Message);
  }, [hint]);
}

/** Returns what the stage shows, and a function that sends it commands. */
export function usePresenterChannel(contest: string): [Hint | undefined, (command: Command) => void] {
  const [hint, setHint] = useState<Hint>();
  const channel = useRef<BroadcastChannel | undefined>(undefined);
  useEffect(() => {
    const opened = new BroadcastChannel(nameOf(contest));
    channel.current = opened;
    opened.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data !== 'hello' && 'hint' in data) setHint(data.hint);
    };
    opened.postMessage('hello' satisfies Message);
    return () => opened.close();
  }, [contest]);
  return [hint, (command) => channel.current?.postMessage({ command } satisfies Message)];
}
