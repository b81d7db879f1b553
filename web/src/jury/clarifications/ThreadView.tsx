import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { useServerNow } from '../../api/clock';
import { useContestId } from '../../app/ContestLayout';
import { useAccount } from '../../app/session';
import { useFormat } from '../../i18n/format';
import { Button } from '../../ui/Button';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { RelTime } from '../../ui/Time';
import styles from '../parts/parts.module.css';
import { useNames, useRights } from '../parts/useJury';
import { AnswerForm } from './AnswerForm';
import own from './clarifications.module.css';
import { type Thread, toAnswer } from './threads';

/** A question or an announcement with the replies to it. */
export function ThreadView({ thread }: { thread: Thread }) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const account = useAccount();
  const { isJudge } = useRights();
  const [isAnswering, setAnswering] = useState(false);
  const { first, replies, isQuestion, isOpen } = thread;
  const question = toAnswer(thread);
  const claim = useMutation({
    mutationFn: (is_claimed: boolean) =>
      api.POST('/api/contests/{contest}/clarifications/{clarification}/claim', {
        params: { path: { contest, clarification: question.id } },
        body: { is_claimed },
      }),
  });
  const isMine =
    question.claimed_by != null && (question.claimed_by === account?.id || question.claimed_by === account?.username);
  const close = () => {
    setAnswering(false);
    if (isMine) claim.mutate(false);
  };
  const begin = () => {
    setAnswering(true);
    if (isOpen) claim.mutate(true);
  };
  const title = t(isQuestion ? 'clar.question' : 'clar.announcement', { id: first.id });
  return (
    <article className={own.thread} aria-label={title} data-open={isOpen || undefined}>
      <header className={own.head}>
        <h2>{title}</h2>
        {isQuestion && <span className={own.state}>{t(isOpen ? 'clar.unanswered' : 'clar.answered')}</span>}
      </header>
      <Message one={first} />
      {replies.length > 0 && (
        <ul className={own.replies}>
          {replies.map((reply) => (
            <li key={reply.id}>
              <Message one={reply} />
            </li>
          ))}
        </ul>
      )}
      {isOpen && <Claim question={question} isMine={isMine} />}
      {claim.error && <ErrorMessage error={claim.error} />}
      {isJudge && isQuestion && !isAnswering && (
        <div className={styles.actions}>
          <Button onClick={begin}>{t(isOpen ? 'clar.answer' : 'clar.answerAgain')}</Button>
          {isMine && (
            <Button kind="plain" onClick={() => claim.mutate(false)}>
              {t('clar.giveBack')}
            </Button>
          )}
        </div>
      )}
      {isAnswering && (
        <AnswerForm question={question} isAgain={!isOpen} onClose={close} onSent={() => setAnswering(false)} />
      )}
    </article>
  );
}

function Claim({ question, isMine }: { question: Schema['Clarification']; isMine: boolean }) {
  const { t } = useTranslation('jury');
  const format = useFormat();
  const now = useServerNow();
  const { claimed_by, claimed_until } = question;
  if (!claimed_by || !claimed_until || Date.parse(claimed_until) <= now) return null;
  const time = format.time(claimed_until);
  return (
    <p className={styles.info}>
      {isMine ? t('clar.claimYou', { time }) : t('clar.claimOther', { who: claimed_by, time })}
    </p>
  );
}

function Message({ one }: { one: Schema['Clarification'] }) {
  const { t } = useTranslation('jury');
  const names = useNames();
  const about = one.problem_id ? names.problem(one.problem_id) : (one.category ?? t('clar.general'));
  const recipients = [
    ...(one.to_team_ids ?? []).map((team) => t('clar.toTeam', { team: names.team(team) })),
    ...(one.to_group_ids ?? []).map((group) => t('clar.toGroup', { group })),
  ];
  return (
    <>
      <p className={own.meta}>
        <strong>{names.team(one.from_team_id)}</strong> <RelTime value={one.contest_time} />
        {' · '}
        {t('clar.about', { what: about })}
        {!one.from_team_id && ` · ${recipients.join(', ') || t('clar.toAll')}`}
      </p>
      <p className={own.text}>{one.text}</p>
    </>
  );
}
