import { useTranslation } from 'react-i18next';
import type { Schema } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Facts } from '../../ui/Facts';
import styles from '../parts/parts.module.css';
import type { Form } from './fields';
import { planned } from './planned';

/** The dates of freeze and end that follow from the times in the form. */
export function PlannedTimes({ form, removed }: { form: Form; removed?: Schema['RemovedInterval'][] | undefined }) {
  const { t } = useTranslation('jury');
  const format = useFormat();
  const { freeze, end } = planned(form, removed);
  return (
    <div aria-live="polite">
      {end === undefined ? (
        <p className={styles.note}>{t('contest.plannedUnknown')}</p>
      ) : (
        <Facts
          facts={[
            [t('contest.plannedFreeze'), freeze === undefined ? t('contest.noFreeze') : format.dateTime(freeze)],
            [t('contest.plannedEnd'), format.dateTime(end)],
          ]}
        />
      )}
    </div>
  );
}
