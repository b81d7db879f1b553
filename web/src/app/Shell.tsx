import { useQuery } from '@tanstack/react-query';
import { CircleHelp, Settings2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useLocation, useParams } from 'react-router';
import { teamName } from '../api/names';
import { queries } from '../api/queries';
import { isLanguage, languages, setLanguage } from '../i18n';
import { Button } from '../ui/Button';
import { Select } from '../ui/Field';
import { Loading } from '../ui/Loading';
import { areas } from './areas';
import { HelpDialog } from './HelpDialog';
import { Nav } from './Nav';
import styles from './Shell.module.css';
import { useAccount, useLogout, useOtherTabs, useOwnTeam } from './session';
import { useShortcut } from './shortcuts';
import { themes, useTheme } from './theme';

const rootNav = areas.flatMap((area) => area.rootNav ?? []);

/** Frame of every view: header, navigation, settings. */
export function Shell() {
  const { t } = useTranslation();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const { contest } = useParams();
  useOtherTabs();
  useShortcut('?', 'help', () => setHelpOpen(true));

  return (
    <>
      <a className={styles.skip} href="#main">
        {t('shell.skip')}
      </a>
      <header className={styles.header}>
        <Link className={styles.brand} to="/" aria-label="Tautochrone">
          <img src="/favicon.svg" alt="" width={28} height={28} />
          <span>Tautochrone</span>
        </Link>
        <Suspense>
          <Nav items={rootNav} base="/" label={t('shell.nav')} />
        </Suspense>
        <div className={styles.tools}>
          <Button kind="quiet" className={styles.more} popoverTarget="settings" aria-label={t('shell.settings')}>
            <Settings2 aria-hidden size={20} />
          </Button>
          {/* Next to the others where there is room; on a phone the button opens it. */}
          <div id="settings" popover="auto" className={styles.settings}>
            <LanguageSelect />
            <ThemeSelect />
          </div>
          <Button kind="quiet" onClick={() => setHelpOpen(true)} aria-label={t('help.title')}>
            <CircleHelp aria-hidden size={20} />
          </Button>
          <Suspense>
            <SessionTools />
          </Suspense>
        </div>
      </header>
      <main id="main" tabIndex={-1} className={styles.main} key={contest}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      <HelpDialog isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </>
  );
}

/** For guests of a contest in which teams can register. */
function Register() {
  const { t } = useTranslation();
  const { contest = '' } = useParams();
  const { data: open } = useQuery({ ...queries.registration(contest), enabled: contest !== '' });
  return open && <Link to={`/register/${encodeURIComponent(contest)}`}>{t('session.register')}</Link>;
}

function SessionTools() {
  const { t } = useTranslation();
  const account = useAccount();
  const logout = useLogout();
  const team = useOwnTeam();
  const { pathname, search } = useLocation();
  if (!account) {
    if (pathname === '/login' || pathname.startsWith('/register/')) return null;
    // From the scoreboard, where all begin, to where the account begins.
    const next = search ? pathname + search : pathname.replace(/^(\/contests\/[^/]+)\/board$/, '$1');
    return (
      <>
        <Register />
        <Link to={`/login?next=${encodeURIComponent(next)}`}>{t('session.login')}</Link>
      </>
    );
  }
  return (
    <>
      <span className={styles.who} title={`${t(`role.${account.type}`)}: ${account.username}`}>
        {team ? teamName(team) : (account.name ?? account.username)}
      </span>
      <Button kind="quiet" onClick={() => logout.mutate()} disabled={logout.isPending}>
        {t('session.logout')}
      </Button>
    </>
  );
}

function LanguageSelect() {
  const { t, i18n } = useTranslation();
  return (
    <Select
      label={t('shell.language')}
      isLabelHidden
      value={i18n.language}
      onChange={(value) => isLanguage(value) && setLanguage(value)}
      options={Object.entries(languages).map(([value, text]) => ({ value, text }))}
    />
  );
}

function ThemeSelect() {
  const { t } = useTranslation();
  const [theme, setTheme] = useTheme();
  return (
    <Select
      label={t('shell.theme')}
      isLabelHidden
      value={theme}
      onChange={setTheme}
      options={themes.map((value) => ({ value, text: t(`theme.${value}`) }))}
    />
  );
}
