import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { ErrorMessage } from '../ui/ErrorMessage';
import styles from './team.module.css';

/** Returns what to do after a failure, by its words in the dictionary. */
export function adviceOf(error: unknown): 'again' | 'wait' | 'kept' {
  // Nobody answered, or not in time: it may have arrived.
  if (!(error instanceof ApiError) || error.status >= 500) return 'again';
  return error.status === 429 ? 'wait' : 'kept';
}

/** Why something was not sent, in the server's sentence, and that nothing is lost. */
export function SendError({ error }: { error: unknown }) {
  const { t } = useTranslation('team');
  const seconds = error instanceof ApiError ? error.retryAfterS : undefined;
  // The sentence often has the exact time; the header is a round number.
  const isTold = error instanceof Error && /\d+ s\b/.test(error.message);
  return (
    <div className={styles.failure}>
      <ErrorMessage error={error} />
      <p>
        {t(`failed.${adviceOf(error)}`)}
        {seconds !== undefined && !isTold && ` ${t('failed.after', { count: seconds })}`}
      </p>
    </div>
  );
}
