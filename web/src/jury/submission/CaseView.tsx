import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useContestId } from '../../app/ContestLayout';
import { useFormat } from '../../i18n/format';
import type { Wire } from '../../run/record';
import { CodeBlock } from '../../ui/CodeBlock';
import { ErrorMessage } from '../../ui/ErrorMessage';
import styles from '../parts/parts.module.css';
import { juryQueries } from '../queries';

/** The record has at most this much of an output. */
const startBytes = 4096;

/** The details of a case: the first difference of the output, and the validator's messages. */
export function CaseView({
  judgement,
  problem,
  ordinal,
  recorded,
}: {
  judgement: string;
  problem: string;
  ordinal: number;
  recorded: Wire['RecordCase'] | undefined;
}) {
  const { t } = useTranslation('jury');
  const { first_difference: difference, judge_message, team_message, stderr_excerpt: stderr } = recorded?.case ?? {};
  const { other_outputs: others = [], accepted_output: accepted } = recorded?.case ?? {};
  const format = useFormat();
  const name = recorded?.case.case;
  const texts = useQuery({ ...juryQueries.caseTexts(useContestId(), problem, name ?? ''), enabled: Boolean(name) });
  const output = recorded?.output_start;
  const much = (bytes: number, isCut: boolean) =>
    isCut ? t('caseView.cut', { size: format.bytes(bytes) }) : format.bytes(bytes);
  const written = ({ bytes }: Wire['WrittenOutput']) => much(bytes, bytes > startBytes);
  const messages = [judge_message, team_message].filter(Boolean).join('\n');
  return (
    <section className={styles.section} aria-live="polite">
      <h3>{t('caseView.title', { n: ordinal, id: judgement })}</h3>
      {difference && (
        <>
          <h4>{t('caseView.difference')}</h4>
          <div className={styles.sideBySide}>
            <CodeBlock
              text={difference.expected}
              label={`${t('caseView.expected')}, ${t('caseView.line', { line: difference.answer_line })}`}
            />
            <CodeBlock
              text={difference.got}
              label={`${t('caseView.found')}, ${t('caseView.line', { line: difference.line })}`}
            />
          </div>
        </>
      )}
      {accepted && (
        <>
          <h4>{t('caseView.otherOutputs')}</h4>
          <div className={styles.sideBySide}>
            <CodeBlock
              text={accepted.start}
              label={t('caseView.acceptedOutput', {
                time: format.duration(recorded?.case.cpu_time_ns ?? 0),
                size: written(accepted),
              })}
            />
            {others.map(({ pass, run, cpu_time_ns: time = 0, output: other }) => (
              <CodeBlock
                key={`${pass}-${run}`}
                text={other.start}
                label={t('caseView.otherOutput', {
                  pass,
                  run,
                  time: format.duration(time),
                  size: written(other),
                })}
              />
            ))}
          </div>
        </>
      )}
      {texts.error && <ErrorMessage error={texts.error} />}
      {(texts.data || output) && (
        <div className={styles.sideBySide}>
          {(['input', 'answer'] as const).map((kind) => {
            const text = texts.data?.[kind];
            const size = much(text?.size_bytes ?? 0, text?.is_cut ?? false);
            return text && <CodeBlock key={kind} text={text.text} label={`${t(`caseView.${kind}`)} (${size})`} />;
          })}
          {output && <CodeBlock text={output} label={t('caseView.output')} />}
        </div>
      )}
      {stderr && <CodeBlock text={stderr} label={t('caseView.stderr')} wraps />}
      {messages && <CodeBlock text={messages} label={t('caseView.validator')} />}
      {recorded?.ruling && (
        <>
          <h4>{t('caseView.explanation')}</h4>
          <p lang="en">{recorded.ruling.reason}</p>
        </>
      )}
      {!difference && !messages && !stderr && !recorded?.ruling && !texts.data && (
        <p className={styles.note}>{t('caseView.nothing')}</p>
      )}
    </section>
  );
}
