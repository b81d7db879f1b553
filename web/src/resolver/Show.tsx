import { ChevronLeft, ChevronRight, Maximize, MonitorSpeaker, Pause, Play, X } from 'lucide-react';
import { type MouseEvent, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useShortcut } from '../app/shortcuts';
import { useFormat } from '../i18n/format';
import { Button } from '../ui/Button';
import { useStageChannel } from './channel';
import { hintOf } from './describeStep';
import { makeSteps, stepOfPlace } from './engine';
import type { Ceremony } from './feed';
import { Stage } from './Stage';
import styles from './Stage.module.css';
import { useControls } from './useControls';
import { useNarration } from './useNarration';

/** The ceremony on the whole screen. */
export function Show({ contest, ceremony }: { contest: string; ceremony: Ceremony }) {
  const { t } = useTranslation('resolver');
  const format = useFormat();
  const steps = useMemo(() => makeSteps(ceremony), [ceremony]);
  const controls = useControls(steps);
  const { index, isLast, isAuto, speed, go, setAuto, leave } = controls;
  const hint = useMemo(() => hintOf(ceremony, steps, index), [ceremony, steps, index]);
  const narrate = useNarration();
  useStageChannel(contest, hint, (command) => {
    if (command === 'auto') setAuto(!isAuto);
    else go(index + (command === 'forward' ? 1 : -1));
  });
  useShortcut('Escape', 'close', leave);
  const step = steps[index];
  if (!step) return null;
  const presenter = contest ? `/contests/${encodeURIComponent(contest)}/resolver/presenter` : '/resolver/presenter';
  // Space goes to the next step, whatever was clicked before.
  const giveFocusBack = (event: MouseEvent) => event.detail > 0 && (document.activeElement as HTMLElement)?.blur();

  return (
    <div className={styles.full} data-step={index}>
      <header className={styles.bar} onClick={giveFocusBack}>
        <h1>{ceremony.title}</h1>
        <p className={styles.counter}>{t('counter', { step: index, steps: steps.length - 1 })}</p>
        <p className={styles.counter}>{t('speed', { speed: format.number(speed) })}</p>
        <div className={styles.tools}>
          <Button kind="quiet" onClick={() => go(index - 1)} disabled={index === 0} aria-label={t('back')}>
            <ChevronLeft aria-hidden size={20} />
          </Button>
          <Button kind="quiet" onClick={() => setAuto(!isAuto)} disabled={isLast}>
            {isAuto ? <Pause aria-hidden size={16} /> : <Play aria-hidden size={16} />}
            {t(isAuto ? 'pause' : 'auto')}
          </Button>
          <Button kind="quiet" onClick={() => go(index + 1)} disabled={isLast} aria-label={t('forward')}>
            <ChevronRight aria-hidden size={20} />
          </Button>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const field = event.currentTarget.elements.namedItem('place') as HTMLInputElement;
              const place = Number(field.value);
              if (place >= 1) go(stepOfPlace(steps, place));
              field.value = '';
              field.blur();
            }}
          >
            <input
              name="place"
              type="number"
              min={1}
              max={step.rows.length}
              className={styles.jump}
              aria-label={t('jump')}
              placeholder={t('place')}
            />
          </form>
          <Button
            kind="quiet"
            aria-label={t('presenter.open')}
            onClick={() => window.open(presenter, 'tautochrone-presenter', 'popup,width=800,height=700')}
          >
            <MonitorSpeaker aria-hidden size={20} />
          </Button>
          <Button
            kind="quiet"
            aria-label={t('fullscreen')}
            onClick={() => void document.documentElement.requestFullscreen().catch(() => undefined)}
          >
            <Maximize aria-hidden size={20} />
          </Button>
          <Button kind="quiet" onClick={leave} aria-label={t('leave')}>
            <X aria-hidden size={20} />
          </Button>
        </div>
      </header>
      <Stage ceremony={ceremony} step={step} />
      <p role="status" className={styles.narration}>
        {narrate(hint.now, true)}
      </p>
    </div>
  );
}
