import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schema } from '../api/client';
import { useFormat } from '../i18n/format';
import { type Names, useJuryPath } from '../jury/parts/useJury';
import { ProblemName } from '../problems/ProblemName';
import { Table } from '../ui/Table';
import { RelTime } from '../ui/Time';
import styles from './analysis.module.css';
import { Curve } from './Curve';
import { meanAttempts, sums } from './numbers';

/** Attempts, solutions and first solvers of each problem. */
export function ProblemTable({
  problems,
  teams,
  names,
}: {
  problems: Schema['ProblemAnalysis'][];
  teams: number;
  names: Names;
}) {
  const { t } = useTranslation('analysis');
  return (
    <Table caption={t('problems.title')}>
      <thead>
        <tr>
          <th scope="col">{t('problem')}</th>
          {(['submissions', 'problems.tried', 'problems.solved'] as const).map((name) => (
            <th scope="col" data-numeric key={name}>
              {t(name)}
            </th>
          ))}
          <th scope="col">{t('problems.curve')}</th>
          <th scope="col" data-numeric>
            {t('problems.attempts')}
          </th>
          <th scope="col" data-numeric>
            {t('problems.atOnce')}
          </th>
          <th scope="col">{t('problems.first')}</th>
        </tr>
      </thead>
      <tbody>
        {problems.map((one) => (
          <Row key={one.problem_id} one={one} teams={teams} names={names} />
        ))}
      </tbody>
    </Table>
  );
}

function Row({ one, teams, names }: { one: Schema['ProblemAnalysis']; teams: number; names: Names }) {
  const { t } = useTranslation('analysis');
  const format = useFormat();
  const path = useJuryPath();
  const problem = names.problems.find(({ id }) => id === one.problem_id);
  const mean = meanAttempts(one.attempts);
  const first = one.first_solve;
  return (
    <tr>
      <th scope="row">
        <Link to={path(`problems/${encodeURIComponent(one.problem_id)}`)}>
          {problem ? <ProblemName problem={problem} /> : one.problem_id}
        </Link>
      </th>
      <td data-numeric>
        <Link to={path(`submissions?problem=${encodeURIComponent(one.problem_id)}`)}>
          {format.number(one.submissions)}
        </Link>
      </td>
      <td data-numeric>{format.number(one.teams_tried)}</td>
      <td data-numeric>{format.number(one.teams_solved)}</td>
      <td>
        <Curve
          values={sums(one.solved)}
          most={teams}
          label={t('problems.curveOf', { solved: one.teams_solved, teams })}
        />
      </td>
      <td data-numeric>{mean === undefined ? '–' : format.number(mean)}</td>
      <td data-numeric>{format.number(one.attempts[0] ?? 0)}</td>
      <td className={styles.first}>
        {first ? (
          <Link to={path(`submissions/${first.submission_id}`)}>
            <RelTime value={first.contest_time} /> {names.team(first.team_id)}
          </Link>
        ) : (
          t('problems.nobody')
        )}
      </td>
    </tr>
  );
}
