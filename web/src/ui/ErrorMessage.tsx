import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { SaidText } from '../messages/SaidText';
import styles from './Messages.module.css';

/** An error with a message for people. */
export class Refused extends Error {}

/** The reason of a failure: the server's message if there is one. */
export function ErrorMessage({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const problem = error instanceof ApiError ? error.problem : undefined;
  return (
    <div role="alert" className={styles.error}>
      <TriangleAlert aria-hidden size={20} />
      <div>
        <p>{problem ? <SaidText {...problem} text={problem.detail} /> : sentence(error)}</p>
        {problem?.errors && problem.errors.length > 0 && (
          <ul lang="en">
            {problem.errors.map((item) => {
              const place = [item.file, item.line].filter((part) => part != null).join(':');
              return <li key={place + item.message}>{place ? `${place}: ${item.message}` : item.message}</li>;
            })}
          </ul>
        )}
      </div>
    </div>
  );

  function sentence(failure: unknown): string {
    if (failure instanceof ApiError) return t('error.status', { status: failure.status });
    if (failure instanceof Refused) return failure.message;
    // `fetch` throws this when there is no response.
    if (failure instanceof TypeError && /fetch|network|load failed/i.test(failure.message)) return t('error.network');
    return t('error.unknown', { message: failure instanceof Error ? failure.message : String(failure) });
  }
}
