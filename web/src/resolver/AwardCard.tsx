import { Award, Medal } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { announced, sharedRank } from './awards';
import type { Step } from './engine';
import type { Ceremony } from './feed';
import styles from './Stage.module.css';

/** Sizes of a card's text: the largest one with which all of it is in sight. */
const SIZES = [1, 0.92, 0.84, 0.76, 0.68, 0.6, 0.52, 0.45];

function useFitting() {
  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = card.current;
    if (!element) return;
    const chooseSize = () => {
      for (const size of SIZES) {
        element.style.setProperty('--fit', String(size));
        if (element.scrollHeight <= element.clientHeight) return;
      }
    };
    const observer = new ResizeObserver(chooseSize);
    // Also a photo that is loaded later takes room from the text.
    for (const one of [element, ...element.children]) observer.observe(one);
    chooseSize();
    return () => observer.disconnect();
  }, []);
  return card;
}

const medals = { 'gold-medal': 'gold', 'silver-medal': 'silver', 'bronze-medal': 'bronze' } as const;

/** A team with awards: its photo or logo, its rank, and the awards. */
export function AwardCard({ ceremony, step }: { ceremony: Ceremony; step: Step }) {
  const { t } = useTranslation('resolver');
  const team = ceremony.teams.get(step.team ?? '');
  const rank = step.rows.find((row) => row.team_id === step.team)?.rank ?? 0;
  const shared = sharedRank(step.awards, rank);
  const awards = announced(step.awards);
  const medal = Object.entries(medals).find(([id]) => awards.some((award) => award.id === id))?.[1];
  const card = useFitting();
  return (
    <section ref={card} tabIndex={0} className={styles.card} aria-label={t('awards')} data-medal={medal}>
      {team?.photo ? (
        <img className={styles.photo} src={team.photo} alt={t('photo', { team: team.name })} />
      ) : (
        team?.logo && <img className={styles.bigLogo} src={team.logo} alt="" />
      )}
      <div className={styles.cardText}>
        <p className={styles.place}>
          {shared ? t('rankShared', { rank: shared }) : t('rank', { rank })}
          {medal && (
            <strong className={styles.medal}>
              <Medal aria-hidden size={32} /> {t(`medal.${medal}`)}
            </strong>
          )}
        </p>
        <h2 className={styles.cardName}>
          {team?.photo && team.logo && <img src={team.logo} alt="" />}
          <span dir="auto">{team?.name}</span>
        </h2>
        <p className={styles.cardOrganization} dir="auto">
          {team?.organization}
        </p>
        <ul className={styles.awards}>
          {awards.map((award) => (
            <li key={award.id}>
              <Award aria-hidden size={32} /> {award.citation}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
