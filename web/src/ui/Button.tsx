import type { ButtonHTMLAttributes } from 'react';
import styles from './Button.module.css';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** `main` for the purpose of the view, `danger` for irreversible actions, `quiet` for tools. */
  kind?: 'main' | 'plain' | 'danger' | 'quiet';
};

export function Button({ kind = 'main', type = 'button', className, ...rest }: Props) {
  return (
    <button type={type} className={[styles.button, styles[kind], className].filter(Boolean).join(' ')} {...rest} />
  );
}
