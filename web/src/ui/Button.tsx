import type { ButtonHTMLAttributes } from 'react';
import styles from './Button.module.css';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** `main` for what the view is for, `danger` for what cannot be taken back, `quiet` for tools. */
  kind?: 'main' | 'plain' | 'danger' | 'quiet';
};

export function Button({ kind = 'main', type = 'button', className, ...rest }: Props) {
  return (
    <button type={type} className={[styles.button, styles[kind], className].filter(Boolean).join(' ')} {...rest} />
  );
}
