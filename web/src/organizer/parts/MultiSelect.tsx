import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, type Option, TextField } from '../../ui/Field';
import styles from './parts.module.css';

/** More options than this are searched. */
const SEARCHED_FROM = 12;
/** More than these are not drawn: a search finds them. */
const SHOWN_MAX = 100;

/** Chooses any number of options. What is chosen comes first, and stays in sight during a search. */
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
  // Those chosen at first stand at the top; what is ticked later stays where it is.
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
