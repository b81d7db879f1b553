import { useTranslation } from 'react-i18next';
import { Dialog } from '../ui/Dialog';
import styles from './HelpDialog.module.css';
import { shortcuts } from './shortcuts';

export function HelpDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t('help.title')}>
      <dl className={styles.keys}>
        <dt>
          <kbd>Tab</kbd>
        </dt>
        <dd>{t('help.tab')}</dd>
        {isOpen &&
          shortcuts().map(({ key, words }) => (
            <div key={key + words}>
              <dt>
                <kbd>{key === ' ' ? t('help.space') : key}</kbd>
              </dt>
              <dd>{t(`shortcut.${words}`)}</dd>
            </div>
          ))}
      </dl>
    </Dialog>
  );
}
