import { useTranslation } from 'react-i18next';
import type { Schema } from '../../api/client';
import type { Option } from '../../ui/Field';

export const verdictIds: Schema['VerdictId'][] = ['AC', 'WA', 'TLE', 'RTE', 'CE', 'MLE', 'OLE', 'WTL', 'JE'];

/** Returns the options of a select of verdicts. */
export function useVerdicts(): Option<string>[] {
  const { t } = useTranslation();
  return verdictIds.map((value) => ({ value, text: `${value} – ${t(`verdict.${value}`)}` }));
}
