import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useServerNow } from '../api/clock';
import { useFormat } from '../i18n/format';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { RelTime } from '../ui/Time';
import { DUPLICATE_WINDOW_MS, windowMinutes } from './identicalSubmission';
import styles from './team.module.css';

/** Says that the same files were submitted before, when, and from when on the server accepts them again. */
export function SameDialog({
  same,
  onClose,
  onSend,
}: {
  same: Schema['Submission'];
  onClose: () => void;
  onSend: () => void;
}) {
  const { t } = useTranslation(['team', 'common']);
  const format = useFormat();
  const leftMs = Date.parse(same.time) + DUPLICATE_WINDOW_MS - useServerNow();
  return (
    <Dialog isOpen onClose={onClose} title={t('same.title')}>
      <p>
        {t('same.text', { id: same.id })} <RelTime value={same.contest_time} />
      </p>
      <p>
        {leftMs > 0
          ? t('same.refused', { minutes: windowMinutes, left: format.clock(leftMs) })
          : t('same.accepted', { minutes: windowMinutes })}
      </p>
      <p className={styles.row}>
        <Button kind="plain" onClick={onClose}>
          {t('common:action.cancel')}
        </Button>
        <Button onClick={onSend}>{t('same.send')}</Button>
      </p>
    </Dialog>
  );
}
