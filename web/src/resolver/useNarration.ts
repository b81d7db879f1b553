import { useTranslation } from 'react-i18next';
import type { StepDescription } from './channel';

/** Returns the function that puts a step into a sentence; for the audience, without results that are not revealed yet. */
export function useNarration() {
  const { t } = useTranslation('resolver');
  return (
    { kind, awards, shared, isNotable, isSolved, points, ...values }: StepDescription,
    isForAudience = false,
  ): string => {
    switch (kind) {
      case 'board':
        return t('narration.board');
      case 'team':
        return t('narration.team', values);
      case 'cell':
        if (isForAudience) return t('narration.cell', values);
        if (points) return t('narration.willPoints', { ...values, points });
        return t(isSolved ? 'narration.willSolved' : 'narration.willFailed', values);
      case 'result':
      case 'move':
        if (kind === 'move') return t('narration.move', values);
        if (points) return t('narration.points', { ...values, points });
        return t(isSolved ? 'narration.solved' : 'narration.failed', values);
      case 'final': {
        const final = shared ? t('narration.shared', { ...values, shared }) : t('narration.final', values);
        return awards.length > 0 && !(isForAudience && isNotable)
          ? t('narration.award', { final, awards: awards.join(', ') })
          : final;
      }
    }
  };
}
