import { Award } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { announced, sharedRank } from './awards';
import type { Step } from './engine';
import type { Ceremony } from './feed';
import styles from './Stage.module.css';

/** A team with awards: its photo or logo, its rank, and the awards. */
export function AwardCard({ ceremony, step }: { ceremony: Ceremony; step: Step }) {
  const { t } = useTranslation('resolver');
  const team = ceremony.teams.get(step.team ?? '');
  const rank = step.rows.find((row) => row.team_id === step.team)?.rank ?? 0;
  const shared = sharedRank(step.awards, rank);
  const awards = announced(step.awards);
  const medal = awards.find(({ id }) => id.endsWith('-medal'))?.id;
  return (
    <section key={step.team} tabIndex={0} className={styles.card} aria-label={t('awards')} data-medal={medal}>
      {team?.photo ? (
        <img className={styles.photo} src={team.photo} alt={t('photo', { team: team.name })} />
      ) : (
        team?.logo && <img className={styles.bigLogo} src={team.logo} alt="" />
      )}
      <div className={styles.cardText}>
        <p className={styles.place}>{shared ? t('rankShared', { rank: shared }) : t('rank', { rank })}</p>
        <h2 className={styles.cardName}>
          {team?.photo && team.logo && <img src={team.logo} alt="" />}
          {team?.name}
        </h2>
        <p className={styles.cardOrganization}>{team?.organization}</p>
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
