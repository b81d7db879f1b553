import type { Schema } from '../api/client';
import { Verdict } from '../ui/Verdict';

/** The most informative verdict: accepted, else pending, else the last. */
export function Best({ judgements }: { judgements: (Schema['Judgement'] | undefined)[] }) {
  if (judgements.length === 0) return null;
  const verdicts = judgements.map((judgement) => judgement?.judgement_type_id);
  const id = verdicts.includes('AC') ? 'AC' : verdicts.some((verdict) => verdict == null) ? null : verdicts[0];
  return <Verdict id={id} />;
}
