import { useMemo } from 'react';
import { teamName } from '../../api/names';
import { useFormat } from '../../i18n/format';
import { useNames } from '../../jury/parts/useJury';
import type { Option } from '../../ui/Field';

/** Returns the options of a select of teams, by their ids. */
export function useTeamOptions(): Option<string>[] {
  const { teams } = useNames();
  const { compare } = useFormat();
  return useMemo(
    () =>
      [...teams]
        .sort((a, b) => compare(a.id, b.id))
        .map((team) => ({ value: team.id, text: `${teamName(team)} (${team.id})` })),
    [teams, compare],
  );
}
