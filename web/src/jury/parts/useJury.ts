import { useSuspenseQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import type { Schema } from '../../api/client';
import { teamName } from '../../api/names';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { useRole } from '../../app/session';

/** Returns the function that makes the address of a view of the jury. */
export function useJuryPath(): (path: string) => string {
  const contest = useContestId();
  return useCallback((path) => `/contests/${encodeURIComponent(contest)}/jury/${path}`, [contest]);
}

/** Returns the rights of the caller: judges change judgements, admins everything. */
export function useRights(): { isJudge: boolean; isAdmin: boolean } {
  const role = useRole();
  return { isJudge: role === 'judge' || role === 'admin', isAdmin: role === 'admin' };
}

/** Returns a parameter of the route, and its setter; the empty text removes it. */
export function useParam(name: string): [string, (value: string) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (value: string) =>
      setParams(
        (now) => {
          const next = new URLSearchParams(now);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace: true },
      ),
    [name, setParams],
  );
  return [params.get(name) ?? '', set];
}

export interface Names {
  problems: Schema['Problem'][];
  teams: Schema['Team'][];
  languages: Schema['Language'][];
  problem: (id: string) => string;
  team: (id: string | null | undefined) => string;
  language: (id: string) => string;
}

/** Returns the objects of a contest that others name by their id, and their names. */
export function useNames(): Names {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const [problems, teams, languages] = useSuspenseQueries({
    queries: [queries.problems(contest), queries.teams(contest), queries.languages(contest)],
  });
  return useMemo(() => {
    const labels = new Map(problems.data.map((problem) => [problem.id, problem.label]));
    const names = new Map(teams.data.map((team) => [team.id, teamName(team)]));
    const words = new Map(languages.data.map((language) => [language.id, language.name]));
    return {
      problems: problems.data,
      teams: teams.data,
      languages: languages.data,
      problem: (id) => labels.get(id) ?? id,
      team: (id) => (id ? (names.get(id) ?? id) : t('noTeam')),
      language: (id) => words.get(id) ?? id,
    };
  }, [problems.data, teams.data, languages.data, t]);
}
