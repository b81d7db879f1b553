/** Contests of few and of many teams with long names, and the views that show them all. */
import { seed } from './contest';
import type { TestServer } from './server';

/** Made-up names of 60 characters in four scripts. */
export const longNames = [
  'The Wandering Hexagons of Lower Meadow and Seven Grey Herons',
  'Странствующие Шестиугольники Нижнего Луга и Семь Серых Цапль',
  '漫游在下游草地上的六边形与七只灰色苍鹭以及一位沉默的钟表匠和他的三个学徒在暴风雨之夜寻找失落的最短路径与最小生成树的传说',
  'المسدسات المتجولة في المرج السفلي مع سبعة طيور رمادية هادئات',
].map((name) => [...name].slice(0, 60).join(''));

const numbers = [4, 60, 400];
export const crowds = numbers.map((teams) => `crowd${teams}`);

/** Adds a contest for each number of teams, after its end, with a scoreboard that is still frozen. */
export async function addCrowds(server: TestServer): Promise<void> {
  const common = { problems: 12, submissions: 120, isOver: true, teamNames: longNames };
  for (const [index, teams] of numbers.entries()) await seed(server, { id: crowds[index] ?? '', teams, ...common });
}

/** Views by their address in a contest, and who opens them. */
export const crowdViews: [who: 'public' | 'admin', address: string][] = [
  ['public', 'board'],
  ['public', 'board?wall=1'],
  ['public', 'board?wall=bottom'],
  ['public', 'board?wall=right'],
  ['admin', 'resolver?step=1'],
  ['admin', 'resolver?step=9999'],
];
