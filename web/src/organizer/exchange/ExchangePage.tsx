import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import styles from '../../jury/parts/parts.module.css';
import { useJuryPath, useRights } from '../../jury/parts/useJury';
import { useTitle } from '../../ui/useTitle';
import { ResultFiles } from '../awards/ResultFiles';
import own from '../parts/parts.module.css';
import { ImportPackage } from './ImportPackage';

const contestFiles = { package: 'package.zip', settings: 'export' } as const;
const boardFiles = { scoreboard: 'scoreboard.zip', publicBoard: 'scoreboard.zip?public=true' } as const;
const otherFiles = { moss: 'moss.zip?which=last', samples: 'samples.zip', statements: 'statements.pdf' } as const;

/** Import and export of a contest. */
export function ExchangePage() {
  const { t } = useTranslation('organizer');
  useTitle(t('exchange.title'));
  const contest = useContestId();
  const path = useJuryPath();
  const { isAdmin } = useRights();
  const { data: state } = useSuspenseQuery(queries.state(contest));
  return (
    <>
      <h1>{t('exchange.title')}</h1>
      <div className={own.halves}>
        <section>
          <h2>{t('exchange.export')}</h2>
          <h3>{t('exchange.contest')}</h3>
          <Files files={contestFiles} />
          <h3>{t('exchange.results')}</h3>
          {!state.finalized && <p className={styles.note}>{t('exchange.notFinal')}</p>}
          <ResultFiles />
          <h3>{t('exchange.resolver')}</h3>
          {state.finalized ? (
            <Files files={{ resolver: 'package.zip?resolver=true' }} />
          ) : (
            <p className={styles.note}>{t('exchange.resolverNotYet')}</p>
          )}
          <h3>{t('exchange.board')}</h3>
          <Files files={boardFiles} />
          <h3>{t('exchange.others')}</h3>
          <Files files={otherFiles} />
        </section>
        <section>
          <h2>{t('exchange.import')}</h2>
          {isAdmin ? (
            <>
              <h3>{t('package.title')}</h3>
              <ImportPackage />
              <h3>{t('exchange.importParts')}</h3>
              <p>
                <Link to={path('people/teams')}>{t('exchange.toPeople')}</Link>
              </p>
            </>
          ) : (
            <p className={styles.note}>{t('exchange.forAdmins')}</p>
          )}
        </section>
      </div>
    </>
  );
}

type Name = keyof typeof contestFiles | keyof typeof boardFiles | keyof typeof otherFiles | 'resolver';

function Files({ files }: { files: Partial<Record<Name, string>> }) {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  return (
    <ul>
      {(Object.keys(files) as Name[]).map((name) => (
        <li key={name}>
          <a
            href={`/api/contests/${encodeURIComponent(contest)}/${files[name]}`}
            download={name === 'settings' ? `${contest}-files.json` : true}
          >
            {t(`exchange.file.${name}`)}
          </a>
        </li>
      ))}
    </ul>
  );
}
