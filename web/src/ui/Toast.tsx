import { X } from 'lucide-react';
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import styles from './Toast.module.css';

interface Toast {
  id: number;
  text: string;
  tone: 'info' | 'good' | 'bad';
}

type Show = (text: string, tone?: Toast['tone']) => void;

const ToastContext = createContext<Show>(() => undefined);

/** Returns a function that shows a message without taking the focus. */
export const useToast = () => use(ToastContext);

/** How long a message is shown; failures are shown until they are closed. */
const SHOWN_MS = 8_000;
const SHOWN_MAX = 4;

export function ToastProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [toasts, setToasts] = useState<Toast[]>([]);
  const next = useRef(0);
  const close = useCallback((id: number) => setToasts((now) => now.filter((toast) => toast.id !== id)), []);
  const show = useCallback<Show>(
    (text, tone = 'info') => {
      const id = next.current++;
      setToasts((now) => [...now, { id, text, tone }].slice(-SHOWN_MAX));
      if (tone !== 'bad') setTimeout(() => close(id), SHOWN_MS);
    },
    [close],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div className={styles.toasts} role="status">
        {toasts.map(({ id, text, tone }) => (
          <div key={id} className={`${styles.toast} ${styles[tone]}`}>
            <span>{text}</span>
            <Button kind="quiet" onClick={() => close(id)} aria-label={t('action.close')}>
              <X aria-hidden size={16} />
            </Button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
