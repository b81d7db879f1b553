import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Printer } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useServerNow } from '../api/clock';
import { teamName } from '../api/names';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useAccount, useTeamId } from '../app/session';
import { Button } from '../ui/Button';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Select } from '../ui/Field';
import { FileDrop } from '../ui/FileDrop';
import { textOf } from '../ui/files';
import { visible } from '../ui/source/visible';
import { DateTime } from '../ui/Time';
import { useTitle } from '../ui/useTitle';
import { readFiles } from './draftFiles';
import styles from './PrintPage.module.css';
import { useOwnSubmissions } from './queries';

interface Sheet {
  name: string;
  text: string;
}

/** Prints a submission or a file; each page has the team, its location and the page number. */
export function PrintPage() {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const team = useTeamId();
  const [params, setParams] = useSearchParams();
  const id = params.get('submission') ?? '';
  const own = useOwnSubmissions() ?? [];
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const { data: sources, error } = useQuery({ ...queries.sources(contest, id), enabled: id !== '' });
  const [chosen, setChosen] = useState<Sheet[]>([]);
  useTitle(t('print.title'));
  if (team === undefined) return <EmptyState title={t('noTeam')} />;
  const sheets: Sheet[] = id
    ? (sources ?? []).flatMap(({ name, bytes }) => ({ name, text: textOf(bytes) ?? t('samples.binary', { name }) }))
    : chosen;
  const label = (problem: string) => problems.find((one) => one.id === problem)?.label ?? problem;
  return (
    <>
      <div className={styles.controls}>
        <h1>{t('print.title')}</h1>
        <Select
          label={t('print.what')}
          value={id}
          onChange={(submission) => setParams(submission ? { submission } : {}, { replace: true })}
          options={[
            { value: '', text: t('print.file') },
            ...own.map((one) => ({
              value: one.id,
              text: `${t('submissions.number', { id: one.id })} · ${label(one.problem_id)}`,
            })),
          ]}
        />
        {id === '' && (
          <FileDrop
            label={t('print.drop')}
            onFiles={async (files) => {
              const { files: read } = await readFiles(files);
              setChosen(read.map(({ name, text }) => ({ name, text: text ?? t('samples.binary', { name }) })));
            }}
          />
        )}
        {error && <ErrorMessage error={error} />}
        <div>
          <Button disabled={sheets.length === 0} onClick={() => window.print()}>
            <Printer aria-hidden size={16} /> {t('print.print')}
          </Button>
        </div>
        {sheets.length > 0 && <p>{t('print.preview')}</p>}
      </div>
      {sheets.map((sheet) => (
        <SheetView key={sheet.name} sheet={sheet} what={id ? t('submissions.number', { id }) : ''} />
      ))}
    </>
  );
}

/** A table, since browsers repeat its head on each printed page. */
function SheetView({ sheet, what }: { sheet: Sheet; what: string }) {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const account = useAccount();
  const teamId = useTeamId();
  const now = useServerNow();
  const { data: settings } = useSuspenseQuery(queries.contest(contest));
  const { data: teams } = useSuspenseQuery(queries.teams(contest));
  const { data: organizations } = useSuspenseQuery(queries.organizations(contest));
  const team = teams.find(({ id }) => id === teamId);
  const organization = organizations.find(({ id }) => id === team?.organization_id);
  return (
    <section className={styles.region} tabIndex={0} aria-label={sheet.name}>
      <table className={styles.sheet}>
        <thead>
          <tr>
            <th scope="col">
              <span className={styles.who}>
                {team?.label && t('print.place', { place: team.label })} {team ? teamName(team) : account?.username}
              </span>
              <span>{organization?.formal_name ?? organization?.name}</span>
              <span>{[sheet.name, what].filter(Boolean).join(' · ')}</span>
              <span>
                {settings.name}, <DateTime value={new Date(now).toISOString()} />
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              <pre>
                {sheet.text
                  .replace(/\n$/, '')
                  .split('\n')
                  .map((line, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
                    <code key={index}>{visible(line)}</code>
                  ))}
              </pre>
            </td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}
