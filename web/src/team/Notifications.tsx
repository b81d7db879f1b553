import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useTeamId } from '../app/session';
import { useToast } from '../ui/Toast';
import { useCurrentJudgements, useOwnSubmissions } from './queries';
import { unreadOf } from './unread';
import { news, type Verdicts, verdictsOf } from './verdictNews';

/** Characters of a text in a notification. */
const EXCERPT_MAX = 120;

/** Shows new verdicts, answers and announcements, whatever view is open. */
export function Notifications() {
  useVerdictNews();
  useClarificationNews();
  return null;
}

function useVerdictNews() {
  const { t } = useTranslation('team');
  const { t: tCommon } = useTranslation();
  const toast = useToast();
  const contest = useContestId();
  const submissions = useOwnSubmissions();
  const judgements = useCurrentJudgements(submissions ?? []);
  const problems = useQuery(queries.problems(contest)).data;
  const before = useRef<Verdicts>(undefined);
  useEffect(() => {
    const now = verdictsOf(submissions, judgements);
    if (!now || !problems) return;
    for (const { submission, verdict } of news(before.current, now)) {
      const problem = submissions?.find(({ id }) => id === submission)?.problem_id;
      toast(
        t('news.verdict', {
          id: submission,
          problem: problems.find(({ id }) => id === problem)?.label ?? problem ?? '',
          verdict: tCommon(`verdict.${verdict as 'AC'}`),
        }),
        verdict === 'AC' ? 'good' : 'info',
      );
    }
    before.current = now;
  }, [submissions, judgements, problems, t, tCommon, toast]);
}

function useClarificationNews() {
  const { t } = useTranslation('team');
  const toast = useToast();
  const team = useTeamId();
  const contest = useContestId();
  const all = useQuery(queries.clarifications(contest)).data;
  const last = useRef<number>(undefined);
  useEffect(() => {
    if (!all) return;
    if (last.current !== undefined) {
      for (const { text, reply_to_id } of unreadOf(all, team, last.current)) {
        const excerpt = text.length > EXCERPT_MAX ? `${text.slice(0, EXCERPT_MAX)}…` : text;
        toast(t(reply_to_id ? 'news.answer' : 'news.announcement', { text: excerpt }));
      }
    }
    last.current = Math.max(last.current ?? 0, ...all.map(({ id }) => Number(id)));
  }, [all, team, t, toast]);
}
