import { useTranslation } from 'react-i18next';
import type { Schema } from '../../api/client';
import styles from '../../jury/parts/parts.module.css';

/** The changes of an import, or of its dry run. */
export function ImportReport({ report }: { report: Schema['ImportReport'] }) {
  const { t } = useTranslation('organizer');
  return (
    <div role="status" className={styles.section}>
      <h3>{t(report.dry_run ? 'import.wouldChange' : 'import.changed', { contest: report.contest_id })}</h3>
      {report.changes.length === 0 && <p className={styles.note}>{t('import.nothing')}</p>}
      <ul lang="en">
        {report.changes.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
      {report.warnings.length > 0 && (
        <>
          <h3>{t('import.warnings', { count: report.warnings.length })}</h3>
          <ul lang="en">
            {report.warnings.map(({ file, line, message }) => (
              <li key={`${file}:${line}:${message}`}>
                {file && <code>{[file, line].filter((part) => part != null).join(':')}</code>} {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
