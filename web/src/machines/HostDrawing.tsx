import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schema } from '../api/client';
import { useFormat } from '../i18n/format';
import { type CpuMark, MachineDrawing } from './MachineDrawing';
import styles from './machines.module.css';
import { busyWith, ofJob, usesOf, type Work } from './now';

/** A judgehost's machine with what runs on which CPU now. */
export function HostDrawing({ machine }: { machine: Schema['JudgehostMachine'] }) {
  const { t } = useTranslation('machines');
  const { uses, work } = usesOf(machine);
  if (uses.size === 0) return <p className={styles.hint}>{t('now.unknown')}</p>;
  const marks = new Map<number, CpuMark>(
    [...uses].map(([cpu, use]) => {
      const here = work.get(cpu);
      return [cpu, { use, now: here && <Now work={here} /> }];
    }),
  );
  return <MachineDrawing shape={machine.machine?.topology ?? undefined} marks={marks} />;
}

function Now({ work }: { work: Work[] }) {
  const { t } = useTranslation('machines');
  const format = useFormat();
  const { first, others } = busyWith(work);
  if (!first) return <span className={styles.idle}>{t('now.idle')}</span>;
  const of = ofJob(first.job);
  return (
    <>
      <span>
        {t(`step.${first.step}`)} · {format.duration(first.for_ms * 1e6)}
      </span>
      {of ? (
        <Link to={`/contests/${encodeURIComponent(of.contest)}/run/${encodeURIComponent(of.judgement)}`}>
          {t('now.judgement', of)}
        </Link>
      ) : (
        first.job
      )}
      {first.case && <span>{t('now.case', { name: first.case })}</span>}
      {first.attempt != null && first.attempt > 1 && <span>{t('now.attempt', { number: first.attempt })}</span>}
      {others > 0 && <span className={styles.idle}>{t('now.others', { count: others })}</span>}
    </>
  );
}
