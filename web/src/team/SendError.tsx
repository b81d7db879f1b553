import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { ErrorMessage } from '../ui/ErrorMessage';
import { windowMinutes } from './identicalSubmission';
import styles from './team.module.css';

/** Returns the dictionary key of the advice after a failure. */
export function adviceOf(error: unknown): 'again' | 'wait' | 'same' | 'kept' {
  // There was no response, or not in time: the request may have arrived.
  if (!(error instanceof ApiError) || error.status >= 500) return 'again';
  if (error.problem?.type?.endsWith('/duplicate')) return 'same';
  return error.status === 429 ? 'wait' : 'kept';
}

/** The server's message about a failed request, and that nothing is lost. */
export function SendError({ error }: { error: unknown }) {
  const { t } = useTranslation('team');
  const seconds = error instanceof ApiError ? error.retryAfterS : undefined;
  // The message often has the exact time; the header is a rounded number.
  const isTold = error instanceof Error && /\d+ s\b/.test(error.message);
  return (
    <div className={styles.failure}>
      <ErrorMessage error={error} />
      <p>
        {t(`failed.${adviceOf(error)}`, { minutes: windowMinutes })}
        {seconds !== undefined && !isTold && ` ${t('failed.after', { count: seconds })}`}
      </p>
    </div>
  );
}
