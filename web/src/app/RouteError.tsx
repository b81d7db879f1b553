import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';

export function RouteError() {
  return <ErrorMessage error={useRouteError()} />;
}

export function NotFound() {
  const { t } = useTranslation();
  return <EmptyState title={t('error.noPage')} />;
}
