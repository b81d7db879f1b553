import { X } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import styles from './Dialog.module.css';

/** A modal dialog: the browser's own, which traps the focus and restores it. */
export function Dialog({
  isOpen,
  onClose,
  title,
  children,
}: {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!isOpen) return;
    element?.showModal();
    // Also when it is unmounted while open: otherwise the browser does not restore the focus.
    return () => element?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={id}
      onClose={() => !dialog.current?.open && onClose()}
    >
      <header className={styles.header}>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" onClick={onClose} aria-label={t('action.close')}>
          <X aria-hidden size={20} />
        </Button>
      </header>
      {children}
    </dialog>
  );
}
