import { useSuspenseQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { fileUrl, type Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { NotFound } from '../app/RouteError';
import { useFormat } from '../i18n/format';
import parts from '../jury/parts/parts.module.css';
import { useJuryPath, useNames, useRights } from '../jury/parts/useJury';
import { Statement } from '../team/Statement';
import { Facts } from '../ui/Facts';
import { Loading } from '../ui/Loading';
import { useTitle } from '../ui/useTitle';
import { JudgingState } from './JudgingState';
import { PackageContents } from './PackageContents';
import { PackageUpload } from './PackageUpload';
import { ProblemActions } from './ProblemActions';
import { ProblemName } from './ProblemName';
import { packageUrl, problemQueries } from './queries';
import { StatementForms } from './StatementForms';

const [KIB, MIB] = [1 << 10, 1 << 20];

export function ProblemPage() {
  const { t } = useTranslation('problems');
  const contest = useContestId();
  const path = useJuryPath();
  const { problem: id } = useParams();
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const problem = problems.find((one) => one.id === id);
  useTitle(problem ? `${problem.label} ${problem.name}` : t('title'));
  if (!problem) return <NotFound />;
  return (
    <>
      <p>
        <Link to={path('problems')}>{t('back')}</Link>
      </p>
      <h1>
        <ProblemName problem={problem} />
      </h1>
      <Problem problem={problem} />
    </>
  );
}

function Problem({ problem }: { problem: Schema['Problem'] }) {
  const { t } = useTranslation('problems');
  const contest = useContestId();
  const format = useFormat();
  const names = useNames();
  const path = useJuryPath();
  const { isAdmin } = useRights();
  const { data: states } = useSuspenseQuery(problemQueries.states(contest));
  const state = states.find(({ id }) => id === problem.id);
  // The list of problems may be newer.
  if (!state) return <Loading />;
  return (
    <>
      <Facts
        facts={[
          [t('judging.title'), <JudgingState key="judging" state={state} />],
          [t('limit.time'), problem.time_limit == null ? t('limit.derived') : format.limit(problem.time_limit)],
          [t('limit.memory'), format.bytes(problem.memory_limit * MIB)],
          [t('limit.output'), format.bytes(problem.output_limit * MIB)],
          [t('limit.source'), format.bytes(problem.code_limit * KIB)],
          [t('tests'), format.number(problem.test_data_count)],
          [t('limit.points'), problem.max_score == null ? null : format.number(problem.max_score)],
          [
            t('field.languages'),
            state.languages.length > 0 ? state.languages.map(names.language).join(', ') : t('allLanguages'),
          ],
          [t('field.rgb'), problem.color ?? problem.rgb],
          [t('addedBy'), state.added_by],
          [t('verifiedBy'), state.verified_by ?? t('notVerified')],
          [
            t('package'),
            <a key="package" href={packageUrl(contest, problem.id)} download>
              {t('downloadPackage')}
            </a>,
          ],
        ]}
      />
      {state.paused_because && (
        <p className={parts.warning}>
          {t('judging.failedWhat')} <Link to="/machines">{t('judging.machines')}</Link>
        </p>
      )}
      <ProblemActions problem={problem} state={state} />
      <p>
        <Link to={path(`submissions?problem=${encodeURIComponent(problem.id)}`)}>{t('itsSubmissions')}</Link>
      </p>
      <PackageContents problem={problem} hash={state.package} />
      <section className={parts.section}>
        <h2>{t('statement')}</h2>
        <StatementForms forms={state.statements ?? []} />
        {[...(problem.statement ?? []), ...(problem.attachments ?? [])].map((file) => (
          <p key={file.filename}>
            <a href={fileUrl(file)} target="_blank" rel="noreferrer">
              {file.filename}
            </a>
          </p>
        ))}
        {!!problem.statement_pages?.length && (
          <Suspense fallback={<Loading />}>
            <Statement problem={problem} />
          </Suspense>
        )}
      </section>
      {isAdmin && (
        <section className={parts.section}>
          <h2>{t('upload.replaceTitle')}</h2>
          <PackageUpload replaced={problem} />
        </section>
      )}
    </>
  );
}
