import { useTranslation } from 'react-i18next';
import { TextField } from '../ui/Field';
import styles from './problems.module.css';

/** A balloon's colour: picked, or typed as `#AC00FF`. */
export function ColorField({ value, onChange }: { value: string; onChange: (rgb: string) => void }) {
  const { t } = useTranslation('problems');
  return (
    <div className={styles.color}>
      <TextField label={t('field.rgb')} value={value} onChange={onChange} placeholder="#AC00FF" autoComplete="off" />
      <input
        type="color"
        aria-label={t('field.pick')}
        value={/^#[0-9a-f]{6}$/i.test(value) ? value : '#808080'}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
