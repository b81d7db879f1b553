import { Pencil, Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../../api/client';
import { useFormat } from '../../i18n/format';
import styles from '../../jury/parts/parts.module.css';
import { Table } from '../../ui/Table';
import own from './parts.module.css';

/** More of a kind are not read. */
const SHOWN_MAX = 200;

/** The changes of an import, or of its dry run. */
export function ImportReport({ report }: { report: Schema['ImportReport'] }) {
  const { t } = useTranslation('organizer');
  const objects = report.objects ?? [];
  // Lines that only count what the tables show, such as `teams: 2` and `new accounts of type team: 2`.
  const isShown = (change: string) => objects.some(({ kind }) => new RegExp(`^(new )?${kind}\\b`).test(change));
  const others = report.changes.filter((change) => !isShown(change));
  return (
    <div className={styles.section}>
      <h3 role="status">
        {t(report.dry_run ? 'import.wouldChange' : 'import.changed', { contest: report.contest_id })}
      </h3>
      {report.changes.length === 0 && <p className={styles.note}>{t('import.nothing')}</p>}
      {others.length > 0 && (
        <ul lang="en">
          {others.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
      {objects.map((one) => (
        <Objects key={one.kind} objects={one} />
      ))}
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

/** How many objects of a kind are added and changed, and which. */
function Objects({ objects }: { objects: Schema['ImportedObjects'] }) {
  const { t } = useTranslation('organizer');
  const { number } = useFormat();
  const { added, changed, unchanged, changes } = objects;
  const kind = t(`people.kinds.${objects.kind}` as 'people.kinds.teams');
  const counts = { added: number(added), changed: number(changed), unchanged: number(unchanged) };
  const shown = changes.slice(0, SHOWN_MAX);
  const rest = added + changed - shown.length;
  return (
    <section>
      <h4>{kind}</h4>
      <p>{t('import.counts', counts)}</p>
      {shown.length > 0 && (
        <Table caption={kind}>
          <thead>
            <tr>
              <th scope="col">{t('import.what')}</th>
              <th scope="col">{t('id')}</th>
              <th scope="col">{t('field.name')}</th>
              <th scope="col">{t('import.fields')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((change) => (
              <tr key={change.id}>
                <td className={own.nowrap}>
                  {change.is_new ? <Plus aria-hidden size={14} /> : <Pencil aria-hidden size={14} />}{' '}
                  {t(change.is_new ? 'import.isAdded' : 'import.isChanged')}
                </td>
                <th scope="row">{change.id}</th>
                <td>{change.name}</td>
                <td>
                  <ul className={own.names}>
                    {change.fields.map((field) => (
                      <Field key={field.name} field={field} />
                    ))}
                  </ul>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {rest > 0 && <p>{t('import.more', { count: rest })}</p>}
    </section>
  );
}

function Field({ field: { name, before, after } }: { field: Schema['ChangedField'] }) {
  const { t, i18n } = useTranslation('organizer');
  const key = `field.${name}`;
  const label = i18n.exists(key, { ns: 'organizer' }) ? t(key as 'field.name') : name;
  const isSet = before != null || after != null;
  return (
    <li>
      {label}
      {isSet && ': '}
      {before != null && (
        <>
          <del>{before}</del> →{' '}
        </>
      )}
      {isSet && (after == null ? t('import.noValue') : <ins className={own.new}>{after}</ins>)}
    </li>
  );
}
