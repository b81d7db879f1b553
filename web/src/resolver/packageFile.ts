import type { Schema } from '../api/client';
import type { Row } from '../board/model';
import { objectsOfFeed, readFeedFile } from '../ui/feedFile';
import { type MemoryFile, textOf } from '../ui/files';
import { boardOf, type Ceremony, type Contest, ceremonyOf } from './feed';

/** Files of a package that are read in addition to the feed. */
const isRead = (name: string) => /(^|\/)(scoreboard\.json|(organizations|teams)\/.+)$/.test(name);

/** Returns the ceremony of an event feed, with the final scoreboard if the package has it. */
export function ceremonyOfFeed(feed: string, files: MemoryFile[] = []): Ceremony {
  const all = objectsOfFeed(feed);
  const list = <T>(type: string) => [...(all.get(type)?.values() ?? [])] as T[];
  const [contest] = list<Schema['Contest']>('contest');
  if (!contest) throw new Error('the feed has no contest');
  const of: Contest = {
    contest,
    state: list<Schema['ContestState']>('state').at(-1) ?? ({} as Schema['ContestState']),
    problems: list('problems'),
    teams: list('teams'),
    organizations: list('organizations'),
    groups: list('groups'),
    awards: list('awards'),
    fileUrl: (type, id, reference) => {
      const file = reference && files.find(({ name }) => name.endsWith(`${type}/${id}/${reference.filename}`));
      return file && URL.createObjectURL(new Blob([file.bytes], { type: reference.mime }));
    },
  };
  const results = {
    types: list<Schema['JudgementType']>('judgement-types'),
    submissions: list<Schema['Submission']>('submissions'),
    judgements: list<Schema['Judgement']>('judgements'),
  };
  const board = files.find(({ name }) => /(^|\/)scoreboard\.json$/.test(name));
  const final = board ? (JSON.parse(textOf(board.bytes) ?? '') as { rows: Row[] }).rows : boardOf(of, results, false);
  return ceremonyOf(of, boardOf(of, results, true), final);
}

/** Reads a contest package that is a zip, or an event feed alone. */
export async function readCeremony(bytes: ArrayBuffer): Promise<Ceremony> {
  const { feed, files } = await readFeedFile(bytes, isRead);
  return ceremonyOfFeed(feed, files);
}
