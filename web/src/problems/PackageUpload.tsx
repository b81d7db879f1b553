import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { FileDrop } from '../ui/FileDrop';
import { OnePackage } from './OnePackage';
import styles from './problems.module.css';

/** Uploads packages; each is checked by the server before it is added. `replaced`: the problem whose package is replaced. */
export function PackageUpload({ replaced }: { replaced?: Schema['Problem'] }) {
  const { t } = useTranslation('problems');
  const [chosen, setChosen] = useState<{ key: number; file: File }[]>([]);
  const take = (files: File[]) =>
    setChosen((now) => {
      const next = (now[0]?.key ?? 0) + 1;
      const added = files.map((file, index) => ({ key: next + files.length - index, file }));
      return replaced ? added.slice(0, 1) : [...added.reverse().sort((a, b) => b.key - a.key), ...now];
    });
  return (
    <>
      <p>{t(replaced ? 'upload.replaceHint' : 'upload.hint')}</p>
      <FileDrop
        label={t(replaced ? 'upload.dropOne' : 'upload.drop')}
        onFiles={take}
        isMultiple={!replaced}
        accept=".zip"
      />
      <ul className={styles.uploads}>
        {chosen.map(({ key, file }) => (
          <li key={key} className={styles.upload}>
            <OnePackage
              file={file}
              {...(replaced && { replaced })}
              onClose={() => setChosen((now) => now.filter((one) => one.key !== key))}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
