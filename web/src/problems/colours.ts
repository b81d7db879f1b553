/** Colours in which balloons are sold, the most different ones first. */
export const balloonColours = {
  red: '#E6194B',
  blue: '#0050D0',
  yellow: '#FFE119',
  green: '#1E9E3E',
  orange: '#F58231',
  purple: '#911EB4',
  pink: '#FF8FC4',
  white: '#FFFFFF',
  black: '#1A1A1A',
  cyan: '#42D4F4',
  brown: '#8B4513',
  lime: '#BFEF45',
  navy: '#00005E',
  gold: '#D4AF37',
  silver: '#C0C0C0',
  turquoise: '#12A89D',
  maroon: '#800000',
  lavender: '#C9A6F5',
  beige: '#F2DDB8',
  olive: '#808000',
} as const;

export type BalloonColour = keyof typeof balloonColours;

const all = Object.keys(balloonColours) as BalloonColour[];

/** Returns red, green and blue of `#AC00FF` or `#fff`; `undefined` for other texts. */
function parts(rgb: string): number[] | undefined {
  const long = rgb.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
  return /^#([0-9a-f]{2}){3}$/i.test(long)
    ? [1, 3, 5].map((at) => Number.parseInt(long.slice(at, at + 2), 16))
    : undefined;
}

/** Returns the balloon colour that is nearest to a colour; `undefined` for a text that is none. */
export function nearest(rgb: string): BalloonColour | undefined {
  const wanted = parts(rgb);
  if (!wanted) return undefined;
  const distance = (one: BalloonColour) =>
    (parts(balloonColours[one]) ?? []).reduce((sum, part, at) => sum + (part - (wanted[at] ?? 0)) ** 2, 0);
  return all.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

/** Returns a colour that is like none of the used ones; `undefined` if all are used. */
export function unusedColour(used: (string | null | undefined)[]): BalloonColour | undefined {
  const taken = new Set(used.map((rgb) => nearest(rgb ?? '')));
  return all.find((one) => !taken.has(one));
}
