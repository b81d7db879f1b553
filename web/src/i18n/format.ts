import { createContext, useContext, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';

export function makeFormat(language: string, mark = (time: string) => time) {
  const locale = language === 'zh' ? 'zh-Hans-CN' : language === 'en' ? 'en-GB' : language;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const second = new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', unitDisplay: 'narrow' });
  const unit = second.formatToParts(1).find((part) => part.type === 'unit')?.value ?? 's';
  const digits = (count: number) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: count, maximumFractionDigits: count });
  const few = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const [whole, coarse, fine] = [digits(0), digits(1), digits(3)];
  const milliseconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'millisecond' });
  const millisecond = milliseconds.formatToParts(1).find((part) => part.type === 'unit')?.value ?? 'ms';
  const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  return {
    number: (value: number) => number.format(value),
    percent: (share: number) => percent.format(share),
    /** A limit: `2 s`, `0.25 s`. */
    limit: (value: number) => mark(`${number.format(value)}\u00a0${unit}`),
    /** A run's time: `0.985 s`. */
    seconds: (value: number) => mark(`${fine.format(value)}\u00a0${unit}`),
    /** A time that is measured: `0.745 ms`, `73.1 ms`, `2.004 s`. */
    duration: (ns: number) => {
      const ms = ns / 1e6;
      if (ms >= 1000) return `${fine.format(ms / 1000)}\u00a0${unit}`;
      return `${(ns === 0 ? whole : ms < 10 ? fine : coarse).format(ms)}\u00a0${millisecond}`;
    },
    /** A time on an axis: `0.01 ms`, `10 ms`, `1 s`. */
    tick: (ns: number) =>
      Math.abs(ns) >= 1e9 ? `${number.format(ns / 1e9)}\u00a0${unit}` : `${few.format(ns / 1e6)}\u00a0${millisecond}`,
    time: (value: string | number) => time.format(new Date(value)),
    date: (value: string | number) => date.format(new Date(value)),
    dateTime: (value: string | number) => dateTime.format(new Date(value)),
    /** A contest time: `4:59:59`, the same in every language. */
    clock: (ms: number) => {
      const whole = Math.floor(Math.abs(ms) / 1000);
      const two = (part: number) => String(part).padStart(2, '0');
      return `${ms < 0 ? '−' : ''}${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
    },
    bytes: (value: number) => {
      const power = Math.min(byteUnits.length - 1, value < 1 ? 0 : Math.floor(Math.log2(value) / 10));
      return `${number.format(value / 1024 ** power)}\u00a0${byteUnits[power]}`;
    },
    /** Compares names by the rules of the language. */
    compare: new Intl.Collator(locale, { numeric: true, sensitivity: 'base' }).compare,
  };
}

export type Format = ReturnType<typeof makeFormat>;

type Clock = Schema['Contest']['clock'];

/** The clock of the contest that is shown. */
export const ClockContext = createContext<Clock>(undefined);

/** Returns how many instructions are a nanosecond, if the contest counts instructions. */
export function useCounted(): number | undefined {
  const clock = useContext(ClockContext);
  return clock?.kind === 'instructions' ? clock.per_nanosecond : undefined;
}

/** Returns how numbers and times are written; in a contest that counts instructions, those of runs and limits say so. */
export function useFormat(): Format {
  const { t, i18n } = useTranslation();
  const isNominal = useCounted() !== undefined;
  return useMemo(
    () => makeFormat(i18n.language, isNominal ? (time) => t('nominal', { time }) : undefined),
    [i18n.language, isNominal, t],
  );
}
