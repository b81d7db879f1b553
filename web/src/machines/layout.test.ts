import { expect, test } from 'vitest';
import { type Box, layOut, type Shape } from './layout';

const none: Shape = { packages: [], numa_nodes: [], l3_domains: [], cores: [] };
const draw = ({ names, inside, cores }: Box): string =>
  `${names.map(({ kind, number }) => kind + number).join('+')}[${inside.map(draw).join(' ')}${cores.map((core) => core.join('/')).join(' ')}]`;
const node = (os_id: number, cpus: string) => ({ os_id, cpus, memory_bytes: null });
const cache = (cpus: string) => ({ os_id: null, cpus, size_bytes: null });
const core = (cpus: string) => ({ cpus });

test.each<[string, Shape, string[]]>([
  [
    'one of each is one box',
    {
      packages: [{ os_id: 0, cpus: '0-1' }],
      numa_nodes: [node(0, '0-1')],
      l3_domains: [cache('0-1')],
      cores: [core('0'), core('1')],
    },
    ['package0+numa0+l30[0 1]'],
  ],
  [
    'two packages with two caches each',
    {
      packages: [
        { os_id: 0, cpus: '0-3' },
        { os_id: 1, cpus: '4-7' },
      ],
      numa_nodes: [node(0, '0-3'), node(1, '4-7')],
      l3_domains: [cache('0-1'), cache('2-3'), cache('4-5'), cache('6-7')],
      cores: [core('0-1'), core('2-3'), core('4-5'), core('6-7')],
    },
    ['package0+numa0[l30[0/1] l31[2/3]]', 'package1+numa1[l32[4/5] l33[6/7]]'],
  ],
  [
    'NUMA nodes inside an L3 cache',
    {
      packages: [{ os_id: 0, cpus: '0-3' }],
      numa_nodes: [node(0, '0-1'), node(1, '2-3'), node(2, '')],
      l3_domains: [cache('0-3')],
      cores: [core('0'), core('1'), core('2'), core('3')],
    },
    ['package0+l30[numa0[0 1] numa1[2 3]]'],
  ],
  ['nothing but cores', { ...none, cores: [core('0'), core('1')] }, ['[0 1]']],
])('%s', (_, shape, expected) => expect(layOut(shape).map(draw)).toEqual(expected));
