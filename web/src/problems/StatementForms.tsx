import { Check, CircleX, Clock, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import parts from '../jury/parts/parts.module.css';
import styles from './problems.module.css';

type Form = Schema['StatementState'];

const ICONS = { impossible: CircleX, waiting: Clock, making: LoaderCircle, plain: TriangleAlert, ready: Check };
const WORST = Object.keys(ICONS) as Form['state'][];

/** The state of a problem's statement, by the worst of its forms. */
export function StatementSummary({ forms }: { forms: Form[] }) {
  const { t } = useTranslation('problems');
  const worst = WORST.find((state) => forms.some((form) => form.state === state));
  const form = forms.find(({ state }) => state === worst);
  if (!form) {
    return (
      <span className={styles.judging} data-state="paused">
        <TriangleAlert aria-hidden size={16} /> {t('form.none')}
      </span>
    );
  }
  return <State form={form} />;
}

/** Each form of a problem's statement that is there, or is made of its package. */
export function StatementForms({ forms }: { forms: Form[] }) {
  const { t, i18n } = useTranslation('problems');
  if (forms.length === 0) return <p className={parts.warning}>{t('form.noneWhat')}</p>;
  const names = new Intl.DisplayNames(i18n.language, { type: 'language' });
  return (
    <ul className={styles.forms}>
      {forms.map((form) => (
        <li key={`${form.language} ${form.format}`}>
          {names.of(form.language) ?? form.language}, {form.format === 'html' ? 'HTML' : 'PDF'}: <State form={form} />
          {form.text && (
            <pre lang="en" className={styles.formText}>
              {form.text}
            </pre>
          )}
        </li>
      ))}
    </ul>
  );
}

function State({ form: { state, lacking } }: { form: Form }) {
  const { t } = useTranslation('problems');
  const Icon = ICONS[state];
  const colour = { impossible: 'failed', waiting: 'paused', making: 'paused', plain: 'paused', ready: 'judged' }[state];
  return (
    <span className={styles.judging} data-state={colour}>
      <Icon aria-hidden size={16} /> {t(`form.${state}`)}
      {lacking.length > 0 && <small>{t('form.lacking', { programs: lacking.join(', ') })}</small>}
    </span>
  );
}
