import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { SaidText, useSay } from '../../messages/SaidText';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Select, TextField } from '../../ui/Field';
import { Table } from '../../ui/Table';
import { DateTime } from '../../ui/Time';
import { useTitle } from '../../ui/useTitle';
import styles from '../parts/parts.module.css';
import { useParam, useRights } from '../parts/useJury';
import { juryQueries } from '../queries';
import { kindOf, kinds } from './kinds';

/** The audit log, the newest entry first. */
export function AuditPage() {
  const { t } = useTranslation('jury');
  useTitle(t('audit.title'));
  return useRights().isJudge ? <Audit /> : <EmptyState title={t('forJury')} />;
}

function Audit() {
  const { t } = useTranslation('jury');
  const say = useSay();
  const [text, setText] = useParam('text');
  const [contest, setContest] = useParam('contest');
  const [account, setAccount] = useParam('account');
  const [kind, setKind] = useParam('kind');
  const filter = useDeferredValue([text, contest, account, kind].join('\n')).split('\n');
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(juryQueries.audit(filter));
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <>
      <h1>{t('audit.title')}</h1>
      <form className={styles.filters} aria-label={t('queue.filters')} onSubmit={(event) => event.preventDefault()}>
        <TextField label={t('audit.text')} type="search" value={text} onChange={setText} />
        <TextField label={t('audit.contest')} value={contest} onChange={setContest} />
        <TextField label={t('audit.account')} value={account} onChange={setAccount} />
        <Select
          label={t('audit.kind')}
          value={kind}
          onChange={setKind}
          options={['', ...kinds].map((value) => ({ value, text: value ? say(kindOf(value)).text : t('audit.any') }))}
        />
      </form>
      {error && <ErrorMessage error={error} />}
      {data && entries.length === 0 && <EmptyState title={t('audit.none')} />}
      {entries.length > 0 && (
        <Table caption={t('audit.title')}>
          <thead>
            <tr>
              <th scope="col">{t('time')}</th>
              <th scope="col">{t('audit.who')}</th>
              <th scope="col" className={styles.wide}>
                {t('audit.from')}
              </th>
              <th scope="col">{t('audit.what')}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={entry.seq}>
                <td>
                  <DateTime value={entry.time} />
                </td>
                <td>{entry.actor}</td>
                <td className={styles.wide}>{entry.address}</td>
                <td>
                  <strong lang={say(kindOf(entry.kind)).lang}>{say(kindOf(entry.kind)).text}</strong>{' '}
                  <SaidText {...entry} /> {entry.contest_id && <small>({entry.contest_id})</small>}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {hasNextPage && (
        <Button kind="plain" onClick={() => fetchNextPage()} disabled={isFetching}>
          {t('audit.more')}
        </Button>
      )}
    </>
  );
}
