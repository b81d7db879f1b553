import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useFormat } from '../i18n/format';
import styles from './team.module.css';

const KIB = 1024;

/** A problem's limits, in words. */
export function Limits({ problem }: { problem: Schema['Problem'] }) {
  const { t } = useTranslation('team');
  const format = useFormat();
  const limits = [
    [t('limits.time'), problem.time_limit == null ? t('limits.derived') : format.limit(problem.time_limit)],
    [t('limits.memory'), format.bytes(problem.memory_limit * KIB * KIB)],
    [t('limits.output'), format.bytes(problem.output_limit * KIB * KIB)],
    [t('limits.source'), format.bytes(problem.code_limit * KIB)],
    [t('limits.tests'), format.number(problem.test_data_count)],
    ...(problem.max_score == null ? [] : [[t('limits.points'), format.number(problem.max_score)]]),
  ];
  return (
    <dl className={styles.facts}>
      {limits.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
