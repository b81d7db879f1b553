import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useCounted, useFormat } from '../i18n/format';
import { type Fact, Facts } from '../ui/Facts';

const KIB = 1024;

export function Limits({ problem }: { problem: Schema['Problem'] }) {
  const { t } = useTranslation('team');
  const format = useFormat();
  const counted = useCounted();
  const instructions = counted && problem.time_limit && Math.round(problem.time_limit * 1e9) * counted;
  const facts: Fact[] = [
    [t('limits.time'), problem.time_limit == null ? t('limits.derived') : format.limit(problem.time_limit)],
    [t('limits.instructions'), instructions ? format.number(instructions) : null],
    [t('limits.memory'), format.bytes(problem.memory_limit * KIB * KIB)],
    [t('limits.output'), format.bytes(problem.output_limit * KIB * KIB)],
    [t('limits.source'), format.bytes(problem.code_limit * KIB)],
    [t('limits.tests'), format.number(problem.test_data_count)],
    [t('limits.points'), problem.max_score == null ? null : format.number(problem.max_score)],
  ];
  return <Facts facts={facts} layout="inline" />;
}
