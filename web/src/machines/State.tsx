import { Ban, Check, CircleAlert, CircleX, HelpCircle, LogOut, Unplug } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import styles from './machines.module.css';

const hosts = { enabled: Check, draining: LogOut, disabled: Ban, away: Unplug };
const settings = { pass: Check, caution: CircleAlert, fail: CircleX, unavailable: HelpCircle };
const tones: Record<string, string | undefined> = {
  enabled: styles.good,
  pass: styles.good,
  draining: styles.wait,
  caution: styles.wait,
  disabled: styles.bad,
  away: styles.bad,
  fail: styles.bad,
};

/** A judgehost's state: an icon and a word. */
export function HostState({ state }: { state: string }) {
  const { t } = useTranslation('machines');
  const known = state in hosts ? (state as keyof typeof hosts) : undefined;
  const Icon = known ? hosts[known] : HelpCircle;
  return (
    <span className={`${styles.state} ${tones[state] ?? ''}`}>
      <Icon aria-hidden size={16} /> {known ? t(`state.${known}`) : state}
    </span>
  );
}

/** The status of a setting: an icon and a word. */
export function SettingStatus({ status }: { status: string }) {
  const { t } = useTranslation('machines');
  const known = status in settings ? (status as keyof typeof settings) : undefined;
  const Icon = known ? settings[known] : HelpCircle;
  return (
    <span className={`${styles.state} ${tones[status] ?? ''}`}>
      <Icon aria-hidden size={16} /> {known ? t(`status.${known}`) : status}
    </span>
  );
}
