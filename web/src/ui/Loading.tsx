import { useTranslation } from 'react-i18next';
import styles from './Messages.module.css';

export function Loading() {
  const { t } = useTranslation();
  return <p className={styles.loading}>{t('loading')}</p>;
}
