import { type CSSProperties, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { AwardCard } from './AwardCard';
import { isNotable } from './awards';
import type { Step } from './engine';
import type { Ceremony } from './feed';
import styles from './Stage.module.css';
import { StageRow } from './StageRow';
import { useGlide } from './useGlide';

/** Rows rendered around the current one, for the animation; the others are out of sight. */
const [ABOVE, BELOW] = [26, 14];

/** The scoreboard of a ceremony at one step. */
export function Stage({ ceremony, step }: { ceremony: Ceremony; step: Step }) {
  const { t } = useTranslation('board');
  const { t: own } = useTranslation('resolver');
  const format = useFormat();
  const words = useMemo(() => ({ t, format }), [t, format]);
  const { rows, certain, kind } = step;
  // The lowest position that is not final is in sight; final ones move below it.
  const at = kind === 'final' ? certain : certain - 1;
  const body = useRef<HTMLDivElement>(null);
  useGlide(body, rows);
  const isTold = kind !== 'board';
  return (
    <div className={styles.stage} style={{ '--problems': ceremony.problems.length } as CSSProperties}>
      <div role="table" aria-label={own('title')} aria-rowcount={rows.length + 1} className={styles.table}>
        <div role="row" aria-rowindex={1} className={styles.head}>
          <div role="columnheader" className={styles.rank}>
            {t('rank')}
          </div>
          <div role="columnheader" className={styles.teamHead}>
            {t('team')}
          </div>
          <div role="columnheader" className={styles.score}>
            {t(ceremony.isScore ? 'score' : 'solved')}
          </div>
          {ceremony.problems.map((problem) => (
            <div role="columnheader" key={problem.id} className={styles.problem} title={problem.name}>
              <span className={styles.balloon} style={{ '--balloon': problem.rgb ?? 'transparent' } as CSSProperties} />
              {problem.label}
            </div>
          ))}
        </div>
        <div role="rowgroup" className={styles.room}>
          <div
            ref={body}
            role="presentation"
            className={styles.rows}
            style={{ '--at': Math.max(0, at), '--count': rows.length } as CSSProperties}
          >
            {rows.map((row, index) => {
              const isSelected = isTold && row.team_id === step.team;
              if (!isSelected && (index < at - ABOVE || index > at + BELOW)) return null;
              return (
                <StageRow
                  key={row.team_id}
                  row={row}
                  index={index}
                  team={ceremony.teams.get(row.team_id)}
                  ceremony={ceremony}
                  isCertain={index >= certain}
                  isSelected={isSelected}
                  problem={isSelected ? step.problem : undefined}
                  words={words}
                />
              );
            })}
          </div>
        </div>
      </div>
      {step.awards.some(isNotable) && <AwardCard key={step.team} ceremony={ceremony} step={step} />}
    </div>
  );
}
