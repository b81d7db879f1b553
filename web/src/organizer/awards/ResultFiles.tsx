import { useTranslation } from 'react-i18next';
import { useContestId } from '../../app/ContestLayout';

const files = {
  tsv: { path: 'results?format=tsv', name: 'results.tsv' },
  json: { path: 'results?format=json', name: 'results.json' },
  awards: { path: 'awards', name: 'awards.json' },
  scoreboard: { path: 'scoreboard', name: 'scoreboard.json' },
} as const;

/** Links to the results, in each format that the API has. */
export function ResultFiles() {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  return (
    <ul>
      {(Object.keys(files) as (keyof typeof files)[]).map((file) => (
        <li key={file}>
          <a
            href={`/api/contests/${encodeURIComponent(contest)}/${files[file].path}`}
            download={`${contest}-${files[file].name}`}
          >
            {t(`resultFile.${file}`)}
          </a>
        </li>
      ))}
    </ul>
  );
}
