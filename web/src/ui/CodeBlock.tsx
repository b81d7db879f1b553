import { Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import styles from './CodeBlock.module.css';
import { visible } from './source/visible';
import { useToast } from './Toast';

/** Preformatted text, such as a sample or a compiler's output, with a button that copies it. Long lines scroll, or wrap. */
export function CodeBlock({ text, label, wraps = false }: { text: string; label: string; wraps?: boolean }) {
  const { t } = useTranslation();
  const toast = useToast();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without HTTPS there is no clipboard API.
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    toast(t('action.copied'));
  };
  return (
    <figure className={styles.block}>
      <figcaption className={styles.caption}>
        {label}
        <Button kind="quiet" onClick={copy} aria-label={t('action.copyWhat', { what: label })}>
          <Copy aria-hidden size={16} />
        </Button>
      </figcaption>
      <pre tabIndex={0} data-wraps={wraps || undefined}>
        {visible(text)}
      </pre>
    </figure>
  );
}
