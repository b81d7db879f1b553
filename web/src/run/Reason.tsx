import { useTranslation } from 'react-i18next';
import { reasonOf } from './reasonOf';

/** The reason why something is unknown, as a record has it, in words for people. */
export function Reason({ text }: { text: string }) {
  const { t } = useTranslation('run');
  const reason = reasonOf(text);
  if (reason.kind === 'recorded') return <span lang="en">{reason.text}</span>;
  return <span>{t(`reason.${reason.kind}`, { path: reason.path })}</span>;
}
