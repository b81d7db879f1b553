import type { CDPSession } from '@playwright/test';

interface TraceEvent {
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

/** Records the browser's own trace while `act` runs, and returns the work of each frame. */
export async function traceFrames(client: CDPSession, act: () => Promise<void>): Promise<Frame[]> {
  const events: TraceEvent[] = [];
  client.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await client.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline.frame', 'v8'] },
  });
  await act();
  const complete = new Promise((resolve) => client.once('Tracing.tracingComplete', resolve));
  await client.send('Tracing.end');
  await complete;
  // The renderer's main thread is the one that lays out.
  const main = events.find((event) => event.name === 'UpdateLayoutTree' || event.name === 'Layout')?.tid;
  const own = events.filter((event) => event.tid === main).sort((a, b) => a.ts - b.ts);
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
