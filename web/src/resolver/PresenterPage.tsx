import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useContestId } from '../app/ContestLayout';
import { useShortcut } from '../app/shortcuts';
import { Button } from '../ui/Button';
import { useTitle } from '../ui/useTitle';
import { usePresenterChannel } from './channel';
import styles from './Stage.module.css';
import { useNarration } from './useNarration';

/** The presenter window: the current step and the next ones, which the audience does not see. */
export function PresenterPage() {
  const { t } = useTranslation('resolver');
  const [hint, send] = usePresenterChannel(useContestId());
  const narrate = useNarration();
  useTitle(t('presenter.title'));
  useShortcut(' ', 'next', () => send('forward'));
  useShortcut('ArrowRight', 'next', () => send('forward'));
  useShortcut('ArrowLeft', 'previous', () => send('back'));
  useShortcut('a', 'auto', () => send('auto'));
  return (
    <div className={styles.presenter}>
      <h1>{t('presenter.title')}</h1>
      {!hint ? (
        <p>{t('presenter.waiting')}</p>
      ) : (
        <>
          <p className={styles.counter}>{t('counter', { step: hint.step, steps: hint.steps })}</p>
          <h2>{t('presenter.now')}</h2>
          <p role="status">{narrate(hint.now)}</p>
          <div className={styles.tools}>
            <Button kind="plain" onClick={() => send('back')}>
              <ChevronLeft aria-hidden size={16} /> {t('back')}
            </Button>
            <Button onClick={() => send('forward')}>
              {t('forward')} <ChevronRight aria-hidden size={16} />
            </Button>
          </div>
          <h2>{t('presenter.next')}</h2>
          {hint.next.length === 0 ? (
            <p>{t('presenter.end')}</p>
          ) : (
            <ol className={styles.next} start={hint.step + 1}>
              {hint.next.map((one, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other name than its number
                <li key={hint.step + index}>{narrate(one)}</li>
              ))}
            </ol>
          )}
        </>
      )}
    </div>
  );
}
