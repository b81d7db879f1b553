import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router';
import { useIsJury } from '../app/session';
import { EmptyState } from '../ui/EmptyState';
import { Loading } from '../ui/Loading';
import { Tabs } from '../ui/Tabs';
import { useJuryPath } from './parts/useJury';

const views = [
  'home',
  'submissions',
  'clarifications',
  'rejudgings',
  'problems',
  'analysis',
  'people',
  'awards',
  'exchange',
  'shadow',
  'settings',
] as const;

/** Frame of every view of the jury. */
export function JuryLayout() {
  const { t } = useTranslation('jury');
  const path = useJuryPath();
  if (!useIsJury()) return <EmptyState title={t('forJury')} />;
  return (
    <>
      <Tabs label={t('title')} tabs={views.map((to) => ({ to: path(to), text: t(`tab.${to}`), isOpenBelow: true }))} />
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
    </>
  );
}
