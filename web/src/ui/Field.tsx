import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import styles from './Field.module.css';

interface Common {
  label: string;
  /** For a control whose position explains it; screen readers still read the label. */
  isLabelHidden?: boolean;
  hint?: string;
}

function Field({ label, isLabelHidden, hint, id, children }: Common & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

type TextProps = Common & { value: string; onChange: (value: string) => void } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    'value' | 'onChange'
  >;

export function TextField({ label, isLabelHidden, hint, onChange, ...rest }: TextProps) {
  const id = useId();
  return (
    <Field {...{ label, isLabelHidden, hint, id }}>
      <input
        id={id}
        className={styles.control}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.value)}
        {...rest}
      />
    </Field>
  );
}

type TextAreaProps = Common & { value: string; onChange: (value: string) => void; rows?: number; required?: boolean };

export function TextArea({ label, isLabelHidden, hint, onChange, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <Field {...{ label, isLabelHidden, hint, id }}>
      <textarea
        id={id}
        className={styles.control}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.value)}
        {...rest}
      />
    </Field>
  );
}

export interface Option<T extends string> {
  value: T;
  text: string;
}

type SelectProps<T extends string> = Common & { value: T; onChange: (value: T) => void; options: Option<T>[] };

export function Select<T extends string>({ label, isLabelHidden, hint, value, onChange, options }: SelectProps<T>) {
  const id = useId();
  return (
    <Field {...{ label, isLabelHidden, hint, id }}>
      <select
        id={id}
        className={styles.control}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.value as T)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function Checkbox({
  label,
  hint,
  isChecked,
  onChange,
}: {
  label: ReactNode;
  hint?: string | undefined;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  const id = useId();
  return (
    <div>
      <label className={styles.checkbox}>
        <input
          type="checkbox"
          checked={isChecked}
          aria-describedby={hint ? id : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />{' '}
        {label}
      </label>
      {hint && (
        <p id={id} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
