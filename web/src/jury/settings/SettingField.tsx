import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useContestId } from '../../app/ContestLayout';
import { useFormat } from '../../i18n/format';
import { Checkbox, Select, TextArea, TextField } from '../../ui/Field';
import { LanguageTicks } from '../parts/LanguageTicks';
import { juryQueries } from '../queries';
import { choices, type FieldName, flags, linesOf, lists, numbers, times } from './fields';

/** The pattern of a duration, such as `5:00:00`. */
const DURATION = '\\d+:\\d{2}:\\d{2}(\\.\\d+)?';
const durations: readonly FieldName[] = ['duration', 'scoreboard_freeze_duration', 'penalty_time'];
const required: readonly FieldName[] = ['name', 'duration'];

/** A setting of a contest, with a line of help. */
export function SettingField({
  name,
  value,
  onChange,
}: {
  name: FieldName;
  value: string;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const is = (names: readonly string[]) => names.includes(name);
  if (name === 'languages') return <Languages value={value} onChange={onChange} />;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const address = `${window.location.origin}/register/${encodeURIComponent(contest)}`;
  const common = { label: t(`field.${name}`), hint: t(`help.${name}`, { zone, address }) };
  if (is(flags)) {
    return <Checkbox {...common} isChecked={value !== ''} onChange={(isOn) => onChange(isOn ? 'yes' : '')} />;
  }
  const shared = { ...common, value, onChange };
  if (is(lists)) return <TextArea {...shared} rows={4} />;
  if (name in choices) {
    const words = choices[name as keyof typeof choices];
    return (
      <Select
        {...shared}
        options={words.map((one) => ({ value: one as string, text: t(`choice.${one === '' ? 'asPool' : one}`) }))}
      />
    );
  }
  if (name in numbers) return <TextField {...shared} type="number" min={0} />;
  if (is(times)) return <TextField {...shared} type="datetime-local" step={1} />;
  return (
    <TextField
      {...shared}
      required={required.includes(name)}
      minLength={name === 'registration_code' ? 8 : undefined}
      pattern={durations.includes(name) ? DURATION : undefined}
      autoComplete="off"
    />
  );
}

function Languages({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation('jury');
  const format = useFormat();
  const { data: known = [] } = useQuery(juryQueries.languages());
  const chosen = linesOf(value);
  // While no machine has joined a pool, nothing is known.
  const isKnown = known.some(({ pools }) => pools.length > 0);
  const languages = known.map(({ id, name, pools }) => ({ id, name, judged: isKnown ? pools.length > 0 : undefined }));
  // Judgehosts may have languages that the server does not know.
  const others = chosen.filter((id) => known.every((one) => one.id !== id)).map((id) => ({ id, name: id }));
  return (
    <LanguageTicks
      legend={t('field.languages')}
      none={t('help.languages')}
      languages={[...languages.toSorted((a, b) => format.compare(a.name, b.name)), ...others]}
      chosen={chosen}
      onChange={(ids) => onChange(ids.toSorted().join('\n'))}
    />
  );
}
