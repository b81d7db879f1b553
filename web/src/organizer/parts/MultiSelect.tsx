import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, type Option, TextField } from '../../ui/Field';
import styles from './parts.module.css';

/** With this many options there is a search field. */
const SEARCHED_FROM = 12;
/** Maximum of options shown; the search finds the others. */
const SHOWN_MAX = 100;

/** Selects any number of options. Selected ones come first, and stay in sight during a search. */
export function MultiSelect({
  label,
  options,
  chosen,
  onChange,
}: {
  label: string;
  options: Option<string>[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}) {
  const { t } = useTranslation('organizer');
  const [search, setSearch] = useState('');
  // Options selected initially are at the top; options ticked later stay where they are.
  const [first] = useState(() => new Set(chosen));
  const wanted = search.trim().toLocaleLowerCase();
  const found = options
    .filter(
      ({ value, text }) =>
        chosen.includes(value) || value === wanted || text.toLocaleLowerCase().includes(wanted) || wanted === '',
    )
    .sort((a, b) => Number(first.has(b.value)) - Number(first.has(a.value)));
  return (
    <fieldset className={styles.many}>
      <legend>
        {label} <span className={styles.count}>{t('chosen', { count: chosen.length })}</span>
      </legend>
      {options.length > SEARCHED_FROM && (
        <TextField
          label={t('search')}
          isLabelHidden
          type="search"
          placeholder={t('search')}
          value={search}
          onChange={setSearch}
        />
      )}
      <div className={styles.options}>
        {found.slice(0, SHOWN_MAX).map(({ value, text }) => (
          <Checkbox
            key={value}
            label={text}
            isChecked={chosen.includes(value)}
            onChange={(isOn) => onChange(isOn ? [...chosen, value] : chosen.filter((one) => one !== value))}
          />
        ))}
        {options.length === 0 && <p className={styles.note}>{t('noneToChoose')}</p>}
        {found.length > SHOWN_MAX && (
          <p className={styles.note}>{t('moreToFind', { count: found.length - SHOWN_MAX })}</p>
        )}
      </div>
    </fieldset>
  );
}
