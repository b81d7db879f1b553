import { hashKey, type QueryKey } from '@tanstack/react-query';
import { expect, test } from 'vitest';

type Factory = (...args: string[]) => { queryKey: QueryKey };

const modules = import.meta.glob<Record<string, unknown>>('../**/queries.ts', { eager: true });
const sources = import.meta.glob<string>('../**/*.{ts,tsx}', { eager: true, query: '?raw', import: 'default' });

/** Returns every factory of queries, by its name. */
const factories = Object.entries(modules).flatMap(([path, module]) =>
  Object.entries(module).flatMap(([name, group]) =>
    /queries$/i.test(name)
      ? Object.entries(group as Record<string, Factory>).map(([key, make]) => [`${path} ${name}.${key}`, make] as const)
      : [],
  ),
);

test('no two queries have the same key', () => {
  expect(factories.length).toBeGreaterThan(40);
  const seen = new Map<string, string>();
  for (const [name, make] of factories) {
    const key = hashKey(make('a', 'b', 'c').queryKey);
    expect(seen.get(key), `${name} has the key ${key} too`).toBeUndefined();
    seen.set(key, name);
  }
});

test('keys are made only in queries.ts', () => {
  const makesOne = /queryKey: *(\[|keys\.)/;
  // What notices and mutations read again is named by keys, and holds nothing.
  const isRead = (line: string) => !/invalidateQueries|findAll|getQueriesData/.test(line);
  const elsewhere = Object.entries(sources)
    .filter(([path]) => !/(queries|\.test)\.tsx?$/.test(path))
    .filter(([, text]) => text.split('\n').some((line) => makesOne.test(line) && isRead(line)))
    .map(([path]) => path);
  expect(elsewhere).toEqual([]);
});
