import { Check, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Checkbox } from '../../ui/Field';
import styles from './LanguageTicks.module.css';

export interface LanguageTick {
  id: string;
  name: string;
  /** Whether a judgehost can judge it; absent if that is unknown. */
  judged?: boolean | undefined;
}

/** Languages to choose from; `none` is what it means that none is chosen. */
export function LanguageTicks({
  legend,
  none,
  languages,
  chosen,
  onChange,
}: {
  legend: string;
  none: string;
  languages: LanguageTick[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}) {
  const { t } = useTranslation('jury');
  const toggle = (id: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, id] : chosen.filter((other) => other !== id));
  return (
    <fieldset className={styles.languages}>
      <legend>{legend}</legend>
      <p className={styles.note} role="status">
        {chosen.length === 0 ? none : t('languages.chosen', { count: chosen.length })}
      </p>
      <div>
        {languages.map(({ id, name, judged }) => (
          <Checkbox
            key={id}
            label={
              <span>
                {name}
                {judged !== undefined && (
                  <small data-judged={judged}>
                    {judged ? <Check aria-hidden size={16} /> : <TriangleAlert aria-hidden size={16} />}{' '}
                    {t(judged ? 'languages.judged' : 'languages.notJudged')}
                  </small>
                )}
              </span>
            }
            isChecked={chosen.includes(id)}
            onChange={(isOn) => toggle(id, isOn)}
          />
        ))}
      </div>
    </fieldset>
  );
}
