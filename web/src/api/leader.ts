import type { Notice } from './live';
import { type Connection, readNotices, type Sink } from './stream';

type Message =
  | { kind: 'notice'; notice: Notice }
  | { kind: 'reset' }
  | { kind: 'connection'; state: Connection }
  | { kind: 'position'; id: string }
  | { kind: 'hello' };

/**
 * Follows a contest with one connection for all tabs of the browser: the tab that holds the lock reads, and forwards notices
 * to the others. If it closes, another one gets the lock and continues at the last position.
 *
 * Locks exist only on HTTPS and localhost. Elsewhere each tab has a connection while it is visible: browsers allow six.
 */
export function follow(contest: string, who: string, sink: Sink): () => void {
  const end = new AbortController();
  if (navigator.locks) shared(contest, who, sink, end.signal);
  else whileSeen(contest, sink, end.signal);
  return () => end.abort();
}

function shared(contest: string, who: string, sink: Sink, signal: AbortSignal) {
  // Positions depend on the account: another account starts anew.
  const name = `tautochrone-events-${contest}-${who}`;
  const channel = new BroadcastChannel(name);
  let state: Connection = 'connecting';
  let position: string | undefined;
  let isLeader = false;

  const apply = (message: Message) => {
    if (message.kind === 'notice') sink.notice(message.notice);
    else if (message.kind === 'reset') sink.reset();
    else if (message.kind === 'connection') {
      state = message.state;
      sink.connection(state);
    } else if (message.kind === 'position') {
      position = message.id;
      sink.position(position);
    }
  };
  const broadcast = (message: Message) => {
    apply(message);
    channel.postMessage(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'hello') apply(data);
    else if (isLeader) {
      if (position !== undefined) channel.postMessage({ kind: 'position', id: position } satisfies Message);
      channel.postMessage({ kind: 'connection', state } satisfies Message);
    }
  };
  channel.postMessage({ kind: 'hello' } satisfies Message);

  const leaderSink: Sink = {
    notice: (notice) => broadcast({ kind: 'notice', notice }),
    reset: () => broadcast({ kind: 'reset' }),
    connection: (now) => broadcast({ kind: 'connection', state: now }),
    position: (id) => broadcast({ kind: 'position', id }),
  };
  navigator.locks
    .request(name, { signal }, () => {
      isLeader = true;
      return readNotices(contest, leaderSink, signal, position);
    })
    // Ended before it had the lock.
    .catch(() => undefined)
    .finally(() => channel.close());
}

function whileSeen(contest: string, sink: Sink, signal: AbortSignal) {
  let position: string | undefined;
  let reading: AbortController | undefined;
  const own: Sink = {
    ...sink,
    position: (id) => {
      position = id;
      sink.position(id);
    },
  };
  const look = () => {
    reading?.abort();
    reading = undefined;
    if (document.hidden || signal.aborted) return;
    reading = new AbortController();
    void readNotices(contest, own, reading.signal, position);
  };
  document.addEventListener('visibilitychange', look);
  signal.addEventListener('abort', () => {
    document.removeEventListener('visibilitychange', look);
    look();
  });
  look();
}
