import type { CDPSession } from '@playwright/test';

export interface TraceEvent {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  /** Of the thread's own time: what others do on the machine is not in it. */
  tdur?: number;
  tid: number;
}

/** Of one frame: script with style and layout, in milliseconds. */
export interface Frame {
  workMs: number;
}

const work = new Set([
  'FunctionCall',
  'EvaluateScript',
  'v8.callFunction',
  'RunMicrotasks',
  'TimerFire',
  'EventDispatch',
  'FireAnimationFrame',
  'Layout',
  'UpdateLayoutTree',
  'PrePaint',
  'MinorGC',
  'MajorGC',
]);

/** Records the browser's own trace while `act` runs, and returns its events in the order of time. */
async function trace(client: CDPSession, categories: string[], act: () => Promise<void>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const take = ({ value }: { value: unknown[] }) => events.push(...(value as TraceEvent[]));
  client.on('Tracing.dataCollected', take);
  await client.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: categories },
  });
  await act();
  const complete = new Promise((resolve) => client.once('Tracing.tracingComplete', resolve));
  await client.send('Tracing.end');
  await complete;
  client.off('Tracing.dataCollected', take);
  return events.sort((a, b) => a.ts - b.ts);
}

/** What a notice led to, in milliseconds from its arrival. */
export interface Shown {
  /** When the page's elements were changed. */
  changedMs: number;
  /** When the frame with it was given to the screen. */
  drawnMs: number;
}

/**
 * Returns when each notice was on the screen: the page marks `notice` and `changed` in the trace, and the first frame that is drawn
 * after what was painted then is the one that shows it.
 */
export async function traceNotices(client: CDPSession, act: () => Promise<void>): Promise<Shown[]> {
  const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline.frame', 'blink.user_timing'];
  const events = await trace(client, categories, act);
  const shown: Shown[] = [];
  let notice: number | undefined;
  events.forEach((event, at) => {
    if (event.name === 'notice') notice = event.ts;
    if (event.name !== 'changed' || notice === undefined) return;
    const rest = events.slice(at);
    const painted = rest.find(({ name, tid }) => name === 'Paint' && tid === event.tid);
    const drawn = painted && rest.find(({ name, ts }) => name === 'DrawFrame' && ts > painted.ts);
    if (drawn) shown.push({ changedMs: (event.ts - notice) / 1000, drawnMs: (drawn.ts - notice) / 1000 });
    notice = undefined;
  });
  return shown;
}

/** Returns the work of each frame while `act` runs. */
export async function traceFrames(client: CDPSession, act: () => Promise<void>): Promise<Frame[]> {
  const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline.frame', 'v8'];
  const events = await trace(client, categories, act);
  // The renderer's main thread is the one that lays out.
  const main = events.find((event) => event.name === 'UpdateLayoutTree' || event.name === 'Layout')?.tid;
  const own = events.filter((event) => event.tid === main);
  const begins = own.filter((event) => event.name === 'BeginMainThreadFrame').map((event) => event.ts);
  const frames = begins.map(() => ({ workMs: 0 }));
  let end = 0;
  for (const event of own) {
    if (!work.has(event.name) || !event.dur) continue;
    const from = Math.max(event.ts, end);
    const to = event.ts + event.dur;
    // Work inside other work is counted once.
    if (to <= from) continue;
    end = to;
    const frame =
      frames[
        Math.max(
          0,
          begins.findLastIndex((begin) => begin <= event.ts),
        )
      ];
    const share = (to - from) / event.dur;
    if (frame) frame.workMs += ((event.tdur ?? event.dur) * share) / 1000;
  }
  return frames;
}
