import { Ban, Check, Clock, Cpu, FileWarning, Flame, HardDrive, Hourglass, Wrench, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type common from '../i18n/en.json';
import styles from './Verdict.module.css';

type VerdictKey = keyof (typeof common)['verdict'];

const icons: Record<VerdictKey, typeof Check> = {
  AC: Check,
  WA: X,
  TLE: Clock,
  RTE: Flame,
  CE: FileWarning,
  MLE: HardDrive,
  OLE: Ban,
  WTL: Cpu,
  JE: Wrench,
  pending: Hourglass,
};

/** A verdict by shape, words and colour: never by colour alone. `id` is absent while there is none. */
export function Verdict({ id, isShort = false }: { id: string | null | undefined; isShort?: boolean }) {
  const { t } = useTranslation();
  const known = (id ?? 'pending') in icons ? ((id ?? 'pending') as VerdictKey) : undefined;
  const Icon = known ? icons[known] : X;
  const words = known ? t(`verdict.${known}`) : (id ?? '');
  const tone = known === 'AC' ? styles.good : known === 'pending' || known === 'JE' ? styles.wait : styles.bad;
  return (
    <span className={`${styles.verdict} ${tone}`} title={isShort ? words : undefined}>
      <Icon aria-hidden size={16} />
      {isShort && id ? (
        <>
          <span aria-hidden>{id}</span>
          <span className="visually-hidden">{words}</span>
        </>
      ) : (
        words
      )}
    </span>
  );
}
