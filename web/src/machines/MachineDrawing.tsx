import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { type Box, layOut, type Shape } from './layout';
import styles from './MachineDrawing.module.css';

export type CpuUse = 'timed' | 'helper' | 'both' | 'offline';

export interface CpuMark {
  use: CpuUse;
  /** What runs there now. */
  now?: ReactNode;
}

/**
 * A machine as nested boxes, with the use of its CPUs. Without `shape` only the marked CPUs are known, and shown side by side.
 */
export function MachineDrawing({ shape, marks }: { shape: Shape | undefined; marks: Map<number, CpuMark> }) {
  const { t } = useTranslation('machines');
  const known = [...marks.keys()].sort((a, b) => a - b);
  const boxes = shape ? layOut(shape) : [{ names: [], inside: [], cores: known.map((cpu) => [cpu]) }];
  const uses = (['timed', 'helper', 'both', 'offline'] as const).filter((use) =>
    [...marks.values()].some((mark) => mark.use === use),
  );
  const hasFree = boxes.flatMap(cpusOf).some((cpu) => !marks.has(cpu));
  return (
    <figure className={styles.figure}>
      <div className={styles.machine}>
        {boxes.map((box) => (
          <BoxOf key={cpusOf(box).join()} box={box} marks={marks} isOutermost />
        ))}
      </div>
      <figcaption className={styles.legend}>
        {uses.map((use) => (
          <span key={use}>
            <span className={`${styles.swatch} ${styles[use]}`} aria-hidden /> {t(`drawing.${use}`)}
          </span>
        ))}
        {hasFree && (
          <span>
            <span className={styles.swatch} aria-hidden /> {t('drawing.free')}
          </span>
        )}
      </figcaption>
    </figure>
  );
}

function cpusOf(box: Box): number[] {
  return [...box.cores.flat(), ...box.inside.flatMap(cpusOf)];
}

function BoxOf({ box, marks, isOutermost }: { box: Box; marks: Map<number, CpuMark>; isOutermost?: boolean }) {
  const { t } = useTranslation('machines');
  const format = useFormat();
  return (
    <div className={isOutermost ? `${styles.box} ${styles.outermost}` : styles.box}>
      {box.names.length > 0 && (
        <p className={styles.name}>
          {box.names.map(({ kind, number, bytes }, index) => (
            <Fragment key={kind}>
              {index > 0 && ' · '}
              <span>
                {t(`drawing.${kind}`, { number })}
                {bytes ? ` (${format.bytes(bytes)})` : ''}
              </span>
            </Fragment>
          ))}
        </p>
      )}
      {box.inside.length > 0 && (
        <div className={styles.inside}>
          {box.inside.map((inner) => (
            <BoxOf key={cpusOf(inner).join()} box={inner} marks={marks} />
          ))}
        </div>
      )}
      {box.cores.length > 0 && (
        <ul className={styles.cores}>
          {box.cores.map((cpus) => (
            <li key={cpus.join()} className={styles.core} aria-label={t('drawing.core', { cpus: cpus.join(', ') })}>
              {cpus.map((cpu) => {
                const mark = marks.get(cpu);
                return (
                  <div key={cpu} className={`${styles.cpu} ${mark ? styles[mark.use] : ''}`} data-cpu={cpu}>
                    <span className={styles.number}>{t('drawing.cpu', { cpu })}</span>
                    {mark && <span className={styles.use}>{t(`drawing.${mark.use}`)}</span>}
                    {mark?.now}
                  </div>
                );
              })}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
