import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useContestId } from '../app/ContestLayout';
import { useFormat } from '../i18n/format';
import { useNames, useParam } from '../jury/parts/useJury';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { textOf } from '../ui/files';
import { Loading } from '../ui/Loading';
import { SourceView } from '../ui/source/SourceView';
import { Table } from '../ui/Table';
import { Verdict } from '../ui/Verdict';
import type { OpenPackage, Solution } from './packageFiles';
import styles from './problems.module.css';
import { problemQueries } from './queries';

/** Expected verdicts by folder of the package. */
const verdicts: Record<string, string> = {
  accepted: 'AC',
  wrong_answer: 'WA',
  time_limit_exceeded: 'TLE',
  run_time_error: 'RTE',
};
const others = ['rejected', 'brute_force', 'partially_accepted', 'mixed'] as const;
/** Larger files are not source code. */
const SOURCE_BYTES_MAX = 1 << 20;

interface Package {
  problem: string;
  hash: string;
  opened: OpenPackage;
}

const nameOf = ({ folder, name }: Solution) => `${folder}/${name}`;

/** The jury's solutions with their expected verdicts; the selected one with its source. */
export function Solutions({ opened, solutions, ...of }: Package & { solutions: Solution[] }) {
  const { t } = useTranslation('problems');
  const format = useFormat();
  const [chosen, setChosen] = useParam('solution');
  if (solutions.length === 0) return <EmptyState title={t('solution.none')} />;
  const shown = solutions.find((solution) => nameOf(solution) === chosen);
  return (
    <>
      <div className={styles.list}>
        <Table caption={t('solution.title')}>
          <thead>
            <tr>
              <th scope="col">{t('solution.name')}</th>
              <th scope="col">{t('solution.expected')}</th>
              <th scope="col" data-numeric>
                {t('solution.size')}
              </th>
            </tr>
          </thead>
          <tbody>
            {solutions.map((solution) => (
              <tr key={nameOf(solution)}>
                <th scope="row">
                  <a
                    href={`?solution=${encodeURIComponent(nameOf(solution))}`}
                    aria-current={solution === shown || undefined}
                    onClick={(event) => {
                      event.preventDefault();
                      setChosen(nameOf(solution));
                    }}
                  >
                    {solution.name}
                  </a>
                </th>
                <td>
                  <Expected folder={solution.folder} />
                </td>
                <td data-numeric>{format.bytes(solution.files.reduce((all, file) => all + file.sizeBytes, 0))}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
      {shown && <Source key={chosen} opened={opened} solution={shown} {...of} />}
    </>
  );
}

/** The expected verdict of a folder's solutions. */
function Expected({ folder }: { folder: string }) {
  const { t } = useTranslation('problems');
  const known = others.find((one) => one === folder);
  if (verdicts[folder]) return <Verdict id={verdicts[folder]} />;
  return known ? t(`solution.${known}`) : <code>{folder}</code>;
}

function Source({ opened, solution, problem, hash }: Package & { solution: Solution }) {
  const { t } = useTranslation('problems');
  const { languages } = useNames();
  const files = solution.files.filter(({ sizeBytes }) => sizeBytes <= SOURCE_BYTES_MAX);
  const read = () => Promise.all(files.map(opened.read));
  const { data, error, isPending } = useQuery(
    problemQueries.solution(useContestId(), problem, hash, nameOf(solution), read),
  );
  const languageOf = (name: string) =>
    languages.find(({ extensions }) => extensions.some((extension) => name.endsWith(`.${extension}`)))?.id;
  return (
    <section aria-live="polite">
      {isPending && <Loading />}
      {error && <ErrorMessage error={error} />}
      {data?.map(({ name, bytes }) => {
        const text = textOf(bytes);
        const language = languageOf(name);
        return (
          <div key={name}>
            <h3>{name.replace(/^submissions\//, '')}</h3>
            {text === undefined ? (
              <p>{t('solution.binary')}</p>
            ) : (
              <SourceView text={text} label={name} {...(language && { language })} />
            )}
          </div>
        );
      })}
    </section>
  );
}
