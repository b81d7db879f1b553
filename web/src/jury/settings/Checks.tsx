import { useQuery } from '@tanstack/react-query';
import { Check, TriangleAlert, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { SaidText } from '../../messages/SaidText';
import { Button } from '../../ui/Button';
import { ErrorMessage } from '../../ui/ErrorMessage';
import styles from '../parts/parts.module.css';
import { useJuryPath } from '../parts/useJury';
import { juryQueries } from '../queries';
import { isRemedy, places } from './remedies';

const icons = { pass: Check, caution: TriangleAlert, fail: X };

/** The checks before the start, or before finalizing, with links to where things are put right. */
export function Checks() {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const { data: report, error, refetch, isFetching } = useQuery(juryQueries.check(contest));
  return (
    <section id="checks" className={styles.section} aria-busy={isFetching}>
      <h2>{t('contest.check')}</h2>
      {error && <ErrorMessage error={error} />}
      <ul className={styles.checks}>
        {report?.checks.map((check) => {
          const { id, state, text } = check;
          const Icon = icons[state];
          return (
            <li key={id + text} data-state={state}>
              <Icon aria-hidden size={18} />
              <span className="visually-hidden">{t(`contest.checkState.${state}`)}: </span>
              <span>
                <SaidText {...check} />
                {check.remedy && <Remedy {...check} remedy={check.remedy} />}
              </span>
            </li>
          );
        })}
      </ul>
      <Button kind="plain" onClick={() => refetch()} disabled={isFetching}>
        {t('contest.checkAgain')}
      </Button>
    </section>
  );
}

function Remedy({ id, remedy, remedy_sentence }: Schema['Check'] & { remedy: string }) {
  const { t } = useTranslation('jury');
  const path = useJuryPath();
  // No view starts a judgehost: that is done on its machine.
  if (!isRemedy(id) || remedy_sentence?.code === 'start-judgehost') {
    return (
      <small>
        <SaidText text={remedy} sentence={remedy_sentence} />
      </small>
    );
  }
  const to = places[id];
  return (
    <small>
      <Link to={to.startsWith('/') ? to : path(to)}>{t(`remedy.${id}`)}</Link>
    </small>
  );
}
