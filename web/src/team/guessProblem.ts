import type { Schema } from '../api/client';

type Problem = Pick<Schema['Problem'], 'id' | 'label'>;

export interface ProblemGuess {
  problem: string;
  /** The name of the file or folder from which it follows. */
  name: string;
}

/** Returns the problem whose id or label is the name of a file, or else of a folder that it is in. */
export function guessProblem(paths: string[], problems: Problem[]): ProblemGuess | undefined {
  const names = paths.map((path) => path.split('/').reverse());
  const depth = Math.max(0, ...names.map(({ length }) => length));
  for (let level = 0; level < depth; level++) {
    for (const name of names.flatMap((of) => of[level] ?? [])) {
      const stem = name.replace(/\.[^.]*$/, '').toLowerCase();
      const found = problems.find(({ id, label }) => id.toLowerCase() === stem || label.toLowerCase() === stem);
      if (found) return { problem: found.id, name };
    }
  }
  return undefined;
}
