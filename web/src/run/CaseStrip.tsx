import { type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { useFormat } from '../i18n/format';
import styles from './CaseStrip.module.css';
import type { Wire } from './record';

/** Every case as a bar: its time between zero, limit and kill limit. Arrow keys go from one to the next. */
export function CaseStrip({
  cases,
  numbers,
  current,
  rule,
}: {
  cases: Wire['RecordCase'][];
  /** The name of each case in routes. */
  numbers: string[];
  current: number | undefined;
  rule: Wire['RecordRule'];
}) {
  const { t } = useTranslation(['run', 'common']);
  const format = useFormat();
  const [params] = useSearchParams();
  const list = useRef<HTMLOListElement>(null);
  const to = (number: string) => {
    const next = new URLSearchParams(params);
    next.set('case', number);
    next.delete('run');
    return `?${next}`;
  };
  const onKey = (event: KeyboardEvent) => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const at = links.indexOf(event.target as HTMLAnchorElement);
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: links.length - 1 };
    const next = links[steps[event.key] ?? -1];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  const share = (ns: number) => `${(100 * Math.min(ns, rule.kill_limit_ns)) / rule.kill_limit_ns}%`;
  return (
    <nav aria-label={t('run:strip.label')}>
      <p className={styles.hint}>{t('run:strip.hint')}</p>
      <ol className={styles.strip} ref={list} onKeyDown={onKey}>
        {cases.map(({ case: one }, index) => {
          const number = numbers[index] ?? '';
          const time = one.cpu_time_ns === null ? t('run:strip.noTime') : format.duration(one.cpu_time_ns);
          const verdict = t(`common:verdict.${one.verdict}`);
          return (
            <li key={number}>
              <Link
                to={to(number)}
                preventScrollReset
                tabIndex={index === (current ?? 0) ? 0 : -1}
                aria-current={index === current ? 'true' : undefined}
                aria-label={t('run:strip.case', { name: one.case, verdict, time })}
                title={t('run:strip.case', { name: one.case, verdict, time })}
                data-good={one.verdict === 'AC' || undefined}
              >
                <span className={styles.bar}>
                  <span className={styles.limit} style={{ bottom: share(rule.limit_ns) }} />
                  <span className={styles.time} style={{ height: share(one.cpu_time_ns ?? 0) }} />
                </span>
                <span className={styles.verdict}>{one.verdict === 'AC' ? '✓' : one.verdict}</span>
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
