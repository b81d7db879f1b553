import { parseCpus } from '../run/record';

/** The part of `tautochrone/topology/1` that is drawn. */
export interface Shape {
  packages: { os_id?: number | null; cpus: string }[];
  numa_nodes: { os_id: number; cpus: string; memory_bytes?: number | null }[];
  l3_domains: { os_id?: number | null; cpus: string; size_bytes?: number | null }[];
  cores: { cpus: string }[];
}

export interface Box {
  /** Kinds that have the same CPUs are one box, such as a NUMA node with one L3 cache. */
  names: { kind: 'package' | 'numa' | 'l3'; number: number; bytes?: number | null }[];
  inside: Box[];
  /** The CPUs of each core, where no box is inside. */
  cores: number[][];
}

interface Named {
  names: Box['names'];
  cpus: number[];
}

/** Returns a machine as boxes in boxes: packages, NUMA nodes and L3 caches (the larger ones outside), cores. */
export function layOut(shape: Shape): Box[] {
  const named = (list: { cpus: string }[], name: (index: number) => Box['names'][number]): Named[] =>
    list
      .map(({ cpus }, index) => ({ names: [name(index)], cpus: parseCpus(cpus) }))
      .filter(({ cpus }) => cpus.length > 0);
  const packages = named(shape.packages, (index) => ({
    kind: 'package',
    number: shape.packages[index]?.os_id ?? index,
  }));
  const nodes = named(shape.numa_nodes, (index) => ({
    kind: 'numa',
    number: shape.numa_nodes[index]?.os_id ?? index,
    bytes: shape.numa_nodes[index]?.memory_bytes,
  }));
  const caches = named(shape.l3_domains, (index) => ({
    kind: 'l3',
    // The kernel's numbers of caches have gaps; ours begin at 0.
    number: index,
    bytes: shape.l3_domains[index]?.size_bytes,
  }));
  const largest = (level: Named[]) => Math.max(0, ...level.map(({ cpus }) => cpus.length));
  const inner = largest(nodes) >= largest(caches) ? [nodes, caches] : [caches, nodes];
  const cores = shape.cores.map(({ cpus }) => parseCpus(cpus)).filter((cpus) => cpus.length > 0);
  return nest([packages, ...inner], cores);
}

/** Puts cores into the boxes of the first level, and these into each other; a core is where its first CPU is. */
function nest([level, ...rest]: Named[][], cores: number[][]): Box[] {
  if (!level) return [{ names: [], inside: [], cores }];
  const left = new Set(cores);
  const boxes = level.flatMap(({ names, cpus }): Box[] => {
    const own = cores.filter((core) => core[0] !== undefined && cpus.includes(core[0]));
    for (const core of own) left.delete(core);
    return own.length === 0 ? [] : [wrap(names, nest(rest, own))];
  });
  return left.size > 0 ? [...boxes, ...nest(rest, [...left])] : boxes;
}

/** Merges a box with its only inner box, with both names. */
function wrap(names: Box['names'], inside: Box[]): Box {
  const [only] = inside;
  if (inside.length === 1 && only) return { ...only, names: [...names, ...only.names] };
  return { names, inside, cores: [] };
}
