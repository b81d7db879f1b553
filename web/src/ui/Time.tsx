import { parseRelTime } from '../api/time';
import { useFormat } from '../i18n/format';

export function DateTime({ value }: { value: string }) {
  return <time dateTime={value}>{useFormat().dateTime(value)}</time>;
}

/** A contest time, as the server writes it: `1:02:03`. */
export function RelTime({ value }: { value: string }) {
  return <time>{useFormat().clock(parseRelTime(value))}</time>;
}

/** A run's time in seconds. */
export function Seconds({ value }: { value: number }) {
  return <span>{useFormat().seconds(value)}</span>;
}
