import { useTranslation } from 'react-i18next';
import type { Told } from './channel';

/** Returns the sentence of a step; for the audience without what is not resolved yet. */
export function useTold() {
  const { t } = useTranslation('resolver');
  return ({ kind, awards, shared, isNotable, isSolved, points, ...values }: Told, isForAudience = false): string => {
    switch (kind) {
      case 'board':
        return t('told.board');
      case 'team':
        return t('told.team', values);
      case 'cell':
        if (isForAudience) return t('told.cell', values);
        if (points) return t('told.willPoints', { ...values, points });
        return t(isSolved ? 'told.willSolved' : 'told.willFailed', values);
      case 'result':
      case 'move':
        if (kind === 'move') return t('told.move', values);
        if (points) return t('told.points', { ...values, points });
        return t(isSolved ? 'told.solved' : 'told.failed', values);
      case 'final': {
        const final = shared ? t('told.shared', { ...values, shared }) : t('told.final', values);
        return awards.length > 0 && !(isForAudience && isNotable)
          ? t('told.award', { final, awards: awards.join(', ') })
          : final;
      }
    }
  };
}
