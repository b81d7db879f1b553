import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useContestId } from '../app/ContestLayout';
import { useFormat } from '../i18n/format';
import parts from '../jury/parts/parts.module.css';
import { useParam } from '../jury/parts/useJury';
import { juryQueries } from '../jury/queries';
import { CodeBlock } from '../ui/CodeBlock';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Loading } from '../ui/Loading';
import { Table } from '../ui/Table';
import { isSample, type PackageCase } from './packageFiles';
import styles from './problems.module.css';

/** Maximum of cases shown; the package has all. */
const SHOWN_MAX = 1000;

/** The cases with their sizes; the selected one with its contents. */
export function Cases({ problem, cases }: { problem: Schema['Problem']; cases: PackageCase[] }) {
  const { t } = useTranslation('problems');
  const format = useFormat();
  const [chosen, setChosen] = useParam('case');
  if (cases.length === 0) return <EmptyState title={t('case.none')} />;
  const samples = cases.filter(isSample).length;
  const sum = (size: (one: PackageCase) => number) => format.bytes(cases.reduce((all, one) => all + size(one), 0));
  return (
    <>
      <p>
        {t('case.count', {
          samples,
          secret: cases.length - samples,
          inputs: sum((one) => one.inputBytes),
          answers: sum((one) => one.answerBytes ?? 0),
        })}
      </p>
      <div className={styles.list}>
        <Table caption={t('case.title')}>
          <thead>
            <tr>
              <th scope="col">{t('case.name')}</th>
              <th scope="col" data-numeric>
                {t('case.input')}
              </th>
              <th scope="col" data-numeric>
                {t('case.answer')}
              </th>
            </tr>
          </thead>
          <tbody>
            {cases.slice(0, SHOWN_MAX).map((one) => (
              <tr key={one.name}>
                <th scope="row">
                  <a
                    href={`?case=${encodeURIComponent(one.name)}`}
                    aria-current={one.name === chosen || undefined}
                    onClick={(event) => {
                      event.preventDefault();
                      setChosen(one.name);
                    }}
                  >
                    {one.name}
                  </a>
                </th>
                <td data-numeric>{format.bytes(one.inputBytes)}</td>
                <td data-numeric>
                  {one.answerBytes === undefined ? t('case.noAnswer') : format.bytes(one.answerBytes)}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
      {cases.length > SHOWN_MAX && <p>{t('case.more', { count: cases.length - SHOWN_MAX })}</p>}
      {chosen && <OneCase key={chosen} problem={problem.id} name={chosen} />}
    </>
  );
}

function OneCase({ problem, name }: { problem: string; name: string }) {
  const { t } = useTranslation('problems');
  const format = useFormat();
  const texts = useQuery(juryQueries.caseTexts(useContestId(), problem, name));
  return (
    <section aria-live="polite" aria-busy={texts.isPending}>
      <h3>{name}</h3>
      {texts.isPending && <Loading />}
      {texts.error && <ErrorMessage error={texts.error} />}
      <div className={parts.sideBySide}>
        {(['input', 'answer'] as const).map((kind) => {
          const text = texts.data?.[kind];
          if (!text) return null;
          const size = format.bytes(text.size_bytes);
          const much = text.is_cut ? t('case.cut', { size }) : size;
          return <CodeBlock key={kind} text={text.text} label={`${t(`case.${kind}`)} (${much})`} />;
        })}
      </div>
    </section>
  );
}
