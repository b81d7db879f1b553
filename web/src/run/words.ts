import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { withoutErrno } from './reasonOf';
import type { Wire } from './record';
import type { Disturbance, Why } from './why';

/** Returns the functions that put a reason, a disturbance or an end into words. */
export function useWords() {
  const { t } = useTranslation('run');
  const format = useFormat();
  return {
    why(why: Why): string {
      switch (why.kind) {
        case 'error':
          return t('why.error', { reason: withoutErrno(why.reason) });
        case 'interactor':
          return t('why.interactor', { cpu: format.duration(why.cpu) });
        case 'within':
        case 'rejected':
        case 'killed':
        case 'quick':
          return t(`why.${why.kind}`, { cpu: format.duration(why.cpu), limit: format.duration(why.limit) });
        case 'countedWithin':
        case 'countedRejected':
        case 'countedOver': {
          const numbers = { instructions: format.number(why.instructions), limit: format.number(why.limit) };
          return t(`why.${why.kind}`, numbers);
        }
        case 'killedAgain':
          return t('why.killedAgain', {
            cpu: format.duration(why.cpu),
            count: why.count,
            limit: format.duration(why.limit),
          });
        case 'agree': {
          const times = { low: format.duration(why.cpu), high: format.duration(why.other) };
          return t('why.agree', { ...times, count: why.count, limit: format.duration(why.limit) });
        }
        case 'beyond': {
          const shown = { cpu: format.duration(why.cpu), limit: format.duration(why.limit) };
          return t('why.beyond', { ...shown, share: format.percent(why.share) });
        }
        case 'exit':
          return t('why.exit', { code: why.code, cpu: format.duration(why.cpu) });
        case 'signal':
          return t('why.signal', { signal: why.signal, cpu: format.duration(why.cpu) });
        case 'memory':
          return t('why.memory', { limit: format.bytes(why.memory) });
        case 'wall':
          return t('why.wall', { wall: format.duration(why.wall), cpu: format.duration(why.cpu) });
        case 'undecided':
          return t('why.undecided', { count: why.count });
        case 'recorded':
          return withoutErrno(why.reason);
        default:
          return t(`why.${why.kind}`);
      }
    },
    disturbance(one: Disturbance): string {
      switch (one.kind) {
        case 'heat':
          return t('disturbance.heat', { count: one.count });
        case 'slow':
          return t('disturbance.slow', { share: format.percent(one.share) });
        case 'isolation':
          return t('disturbance.isolation', { reason: one.reason });
        case 'recorded':
          return withoutErrno(one.reason);
        default:
          return t(`disturbance.${one.kind}`, { time: format.duration(one.time) });
      }
    },
    end({ kind, code, signal, limit }: Wire['End']): string {
      if (kind === 'limit' && limit) return t(`end.${limit}`);
      return kind === 'signal' ? t('end.signal', { signal: signal ?? 0 }) : t('end.exit', { code: code ?? 0 });
    },
  };
}
