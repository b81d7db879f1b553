import { Ban, Check, CircleAlert, CircleX, Clock, HelpCircle, LogOut, type LucideIcon, Unplug } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import styles from './machines.module.css';

const hosts = { enabled: Check, draining: LogOut, disabled: Ban, away: Unplug, waiting: Clock };
const settings = { pass: Check, caution: CircleAlert, fail: CircleX, unavailable: HelpCircle };
const tones: Record<string, string | undefined> = {
  enabled: styles.good,
  pass: styles.good,
  draining: styles.wait,
  waiting: styles.wait,
  caution: styles.wait,
  disabled: styles.bad,
  away: styles.bad,
  fail: styles.bad,
};

interface Props {
  icons: Record<string, LucideIcon>;
  value: string;
  text: string;
}

function IconAndWord({ icons, value, text }: Props) {
  const Icon = icons[value] ?? HelpCircle;
  return (
    <span className={`${styles.state} ${tones[value] ?? ''}`}>
      <Icon aria-hidden size={16} /> {text}
    </span>
  );
}

export function HostState({ state }: { state: string }) {
  const { t } = useTranslation('machines');
  return (
    <IconAndWord
      icons={hosts}
      value={state}
      text={state in hosts ? t(`state.${state as keyof typeof hosts}`) : state}
    />
  );
}

export function SettingStatus({ status }: { status: string }) {
  const { t } = useTranslation('machines');
  const text = status in settings ? t(`status.${status as keyof typeof settings}`) : status;
  return <IconAndWord icons={settings} value={status} text={text} />;
}
