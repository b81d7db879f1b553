import { useSuspenseQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { teamName } from '../api/names';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { Button } from '../ui/Button';
import { EmptyState } from '../ui/EmptyState';
import { Facts } from '../ui/Facts';
import { useTitle } from '../ui/useTitle';
import { READ_EVERY_MS, streamQueries } from './queries';
import { StreamBoard } from './StreamBoard';

/** Reports come twice a second; after this time without one, the page shows a warning. */
const STALE_S = 5;

/** A live stream contest that is published in a contest, whose teams take part. */
export function StreamPage() {
  const { t } = useTranslation('stream');
  useTitle(t('title'));
  const contest = useContestId();
  const [{ data: view }, { data: teams }] = useSuspenseQueries({
    queries: [{ ...streamQueries.stream(contest), refetchInterval: READ_EVERY_MS }, queries.teams(contest)],
  });
  if (!view)
    return (
      <EmptyState title={t('none')}>
        <p>{t('noneHint')}</p>
      </EmptyState>
    );
  const names = new Map(teams.map((team) => [team.id, teamName(team)]));
  return (
    <>
      <h1>{t('title')}</h1>
      {view.age_s >= STALE_S && <p role="status">{t('stale', { age: view.age_s })}</p>}
      <HowTo view={view} />
      <StreamBoard board={view.board} own={view.user} nameOf={(name) => names.get(name) ?? name} />
    </>
  );
}

function HowTo({ view }: { view: Schema['StreamView'] }) {
  const { t } = useTranslation('stream');
  const [isShown, setShown] = useState(false);
  if (!view.input || !view.output) return null;
  return (
    <section>
      <h2>{t('how.title')}</h2>
      <Facts
        layout="columns"
        facts={[
          [t('how.digits'), <code key="digits">GET http://{here(view.input)}/</code>],
          [
            t('how.answers'),
            <code key="answers">
              POST http://{here(view.output)}/submit?user={view.user ?? 'NAME'}&amp;passwd=PASSWORD
            </code>,
          ],
          [
            t('how.password'),
            view.password &&
              (isShown ? (
                <code>{view.password}</code>
              ) : (
                <Button kind="quiet" onClick={() => setShown(true)}>
                  {t('how.show')}
                </Button>
              )),
          ],
        ]}
      />
    </section>
  );
}

/** A server that listens on all addresses is at the address of this page. */
function here(address: string): string {
  return address.replace(/^(0\.0\.0\.0|\[::\])(?=:)/, location.hostname);
}
