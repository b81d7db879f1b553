import type { TFunction } from 'i18next';
import { expect, test } from 'vitest';
import { makeFormat } from '../i18n/format';
import { boardTeams } from './model';
import { type BoardSnapshot, standalonePage } from './standalone';

const shown = {
  contest: { id: 'c', name: 'A & B', duration: '5:00:00', scoreboard_type: 'pass-fail' },
  state: { started: '2026-01-01T00:00:00Z', ended: '2026-01-01T05:00:00Z', finalized: '2026-01-01T06:00:00Z' },
  problems: ['a', 'b', 'c'].map((id, ordinal) => ({ id, label: id.toUpperCase(), name: id, ordinal })),
  rows: [
    {
      rank: 1,
      team_id: '1',
      score: { num_solved: 1, total_time: '0:45:00' },
      problems: [
        { problem_id: 'a', num_judged: 2, num_pending: 0, solved: true, time: '0:25:30', first_to_solve: true },
        { problem_id: 'b', num_judged: 3, num_pending: 0, solved: false },
        { problem_id: 'c', num_judged: 0, num_pending: 2, solved: false },
      ],
    },
  ],
  teams: boardTeams(
    [{ id: '1', name: '<script>alert(1)</script>"', organization_id: 'u', group_ids: [] }],
    [{ id: 'u', name: 'U', logo: [{ href: 'u.svg', filename: 'u.svg', mime: 'image/svg+xml', tag: [] }] }],
  ),
  isScore: false,
  isJuryBoard: false,
} as object as BoardSnapshot;
const words = { t: ((key: string) => key) as TFunction<'board'>, format: makeFormat('en'), language: 'en' };

test('a single-file scoreboard has every cell, no script, and no external resources', () => {
  const logo = 'data:image/svg+xml;base64,AAAA';
  const page = standalonePage(shown, words, new Map([[`${location.origin}/api/u.svg`, logo]]));
  const file = new DOMParser().parseFromString(page, 'text/html');
  expect(file.querySelectorAll('script, link, [onclick], [style]')).toHaveLength(0);
  expect([...file.querySelectorAll('[src], [href]')].map((one) => one.getAttribute('src'))).toEqual([logo]);
  expect(file.querySelector('tbody th')?.textContent).toContain('<script>alert(1)</script>"');
  expect([...file.querySelectorAll('tbody td')].map((cell) => cell.textContent?.trim())).toEqual([
    '1',
    '1',
    '45',
    '★ 252',
    '✗ 3',
    '? 0+2',
  ]);
  expect(file.querySelector('.note')?.textContent).toBe('banner.final');
  expect(file.title).toBe('title: A & B');
});

test('a scoreboard of the jury during the freeze is marked as live', () => {
  const state = { started: '2026-01-01T00:00:00Z', frozen: '2026-01-01T04:00:00Z' };
  expect(standalonePage({ ...shown, state, isJuryBoard: true } as BoardSnapshot, words, new Map())).toContain(
    'banner.juryLive',
  );
});
