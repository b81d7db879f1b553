import { useSuspenseQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { parseRelTime } from '../api/time';
import { useContestId } from '../app/ContestLayout';
import { useFormat } from '../i18n/format';
import parts from '../jury/parts/parts.module.css';
import { type Names, useNames, useParam } from '../jury/parts/useJury';
import { ProblemName } from '../problems/ProblemName';
import { EmptyState } from '../ui/EmptyState';
import { Facts } from '../ui/Facts';
import { Select } from '../ui/Field';
import { useTitle } from '../ui/useTitle';
import styles from './analysis.module.css';
import { LimitChart } from './LimitChart';
import { acceptance, stepsOf, timeParts } from './numbers';
import { ProblemTable } from './ProblemTable';
import { analysisQueries } from './queries';
import { Sign, TimeChart } from './TimeChart';
import { VerdictTable } from './VerdictTable';

/** Statistics of the contest. */
export function AnalysisPage() {
  const { t } = useTranslation('analysis');
  useTitle(t('title'));
  const contest = useContestId();
  const [group, setGroup] = useParam('group');
  const [problem, setProblem] = useParam('problem');
  const names = useNames();
  const [{ data }, { data: groups }] = useSuspenseQueries({
    queries: [analysisQueries.analysis(contest, group), queries.groups(contest)],
  });
  const all = { value: '', text: t('all') };
  const chosen = data.problems.filter(({ problem_id }) => !problem || problem_id === problem);
  const stepMs = parseRelTime(data.step);
  return (
    <>
      <h1>{t('title')}</h1>
      <div className={parts.filters}>
        {groups.length > 0 && (
          <Select
            label={t('group')}
            value={group}
            onChange={setGroup}
            options={[all, ...groups.map(({ id, name }) => ({ value: id, text: name }))]}
          />
        )}
        <Select
          label={t('problem')}
          value={problem}
          onChange={setProblem}
          options={[all, ...names.problems.map(({ id, label, name }) => ({ value: id, text: `${label} ${name}` }))]}
        />
      </div>
      <Summary data={data} one={problem ? chosen[0] : undefined} />
      {data.submissions === 0 ? (
        <EmptyState title={t('none')} />
      ) : (
        <>
          <section className={parts.section}>
            <h2>{t('time.title')}</h2>
            <TimeChart steps={stepsOf(chosen, stepMs)} stepMs={stepMs} />
          </section>
          <section className={parts.section}>
            <h2>{t('problems.title')}</h2>
            <p className={parts.note}>{t('problems.what')}</p>
            <ProblemTable problems={chosen} teams={data.teams} names={names} />
          </section>
          <section className={parts.section}>
            <h2>{t('verdicts.byProblem')}</h2>
            <VerdictTable
              caption={t('verdicts.byProblem')}
              first={t('problem')}
              rows={chosen.map((one) => ({ ...one, id: one.problem_id, name: nameOf(one, names) }))}
            />
          </section>
          {/* The languages are those of all problems. */}
          {!problem && (
            <section className={parts.section}>
              <h2>{t('verdicts.byLanguage')}</h2>
              <VerdictTable
                caption={t('verdicts.byLanguage')}
                first={t('language')}
                rows={data.languages.map((one) => ({
                  ...one,
                  id: one.language_id,
                  name: names.language(one.language_id),
                }))}
              />
            </section>
          )}
          <Limits problems={chosen} names={names} />
        </>
      )}
    </>
  );
}

function nameOf({ problem_id }: Schema['ProblemAnalysis'], { problems }: Names) {
  const problem = problems.find(({ id }) => id === problem_id);
  return problem ? <ProblemName problem={problem} /> : problem_id;
}

/** The facts of one problem, or of the whole contest. */
function Summary({ data, one }: { data: Schema['Analysis']; one: Schema['ProblemAnalysis'] | undefined }) {
  const { t } = useTranslation('analysis');
  const format = useFormat();
  const of = one ?? data;
  const share = acceptance(of);
  return (
    <Facts
      facts={[
        [t('submissions'), format.number(of.submissions)],
        [t('pending'), format.number(of.pending)],
        [t('verdicts.accepted'), share === undefined ? null : format.percent(share)],
        [t('teams'), format.number(data.teams)],
        [t('teamsTried'), format.number(of.teams_tried)],
        [t('teamsSolved'), format.number(of.teams_solved)],
      ]}
    />
  );
}

function Limits({ problems, names }: { problems: Schema['ProblemAnalysis'][]; names: Names }) {
  const { t } = useTranslation('analysis');
  const shown = problems
    .map((problem) => ({ problem, times: timeParts(problem) }))
    .filter(({ times }) => times.some(({ accepted, others }) => accepted + others > 0));
  return (
    <section className={parts.section}>
      <h2>{t('limit.title')}</h2>
      {shown.length === 0 ? (
        <p>{t('limit.none')}</p>
      ) : (
        <>
          <p>{t('limit.what')}</p>
          <p className={styles.legend}>
            <Sign text={t('limit.accepted')} className={styles.accepted} />
            <Sign text={t('limit.others')} className={styles.others} />
          </p>
          <div className={styles.grid2}>
            {shown.map(({ problem, times }) => {
              const { label, name } = names.problems.find(({ id }) => id === problem.problem_id) ?? {};
              return (
                <LimitChart
                  key={problem.problem_id}
                  name={name ? `${label} ${name}` : problem.problem_id}
                  parts={times}
                  limit={problem.time_limit ?? 0}
                />
              );
            })}
          </div>
        </>
      )}
    </section>
  );
}
