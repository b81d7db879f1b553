import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../Button';

/** More lines keep a browser busy, and a submission may have 262,144 of them: a button shows the rest. */
export const LINES_MAX = 5_000;

/** Returns the lines to show, and a button that shows all lines if some are left out. */
export function useLineLimit<Line>(lines: Line[]): [Line[], ReactNode] {
  const { t } = useTranslation();
  const [isAll, setAll] = useState(false);
  if (isAll || lines.length <= LINES_MAX) return [lines, null];
  return [
    lines.slice(0, LINES_MAX),
    <p key="all">
      <Button onClick={() => setAll(true)}>{t('source.all', { count: lines.length })}</Button>
    </p>,
  ];
}
