/** Returns the milliseconds of a RELTIME such as `5:00:00.000` or `-0:01:00`. */
export function parseRelTime(text: string): number {
  const match = /^(-?)(\d+):(\d{2}):(\d{2})(?:\.(\d{1,3}))?$/.exec(text);
  if (!match) return Number.NaN;
  const [, sign, hours, minutes, seconds, fraction = ''] = match;
  const ms = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, '0'));
  return sign ? -ms : ms;
}

/** Returns a duration as RELTIME, for the server. */
export function toRelTime(ms: number): string {
  const whole = Math.abs(Math.round(ms));
  const two = (value: number) => String(value).padStart(2, '0');
  const seconds = Math.floor(whole / 1000);
  return `${ms < 0 ? '-' : ''}${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(whole % 1000).padStart(3, '0')}`;
}

/** Returns a RELTIME as people write it, without milliseconds that are none; other texts stay. */
export function shortRelTime(text: string): string {
  return text.replace(/^(-?\d+:\d{2}:\d{2})\.000$/, '$1');
}
