import { expect, test } from 'vitest';
import { balloonColours, nearest, unusedColour } from './colours';

test.each([
  ['#fff', 'white'],
  ['#FF0000', 'red'],
  ['#f00', 'red'],
  ['#000', 'black'],
  ['#AC00FF', 'purple'],
  ['red', undefined],
  ['', undefined],
])('%s is called %s', (rgb, name) => expect(nearest(rgb)).toBe(name));

test('each colour is nearest to itself', () => {
  for (const [name, rgb] of Object.entries(balloonColours)) expect(nearest(rgb)).toBe(name);
});

test('a colour is proposed that is like none of the used ones', () => {
  expect(unusedColour([])).toBe('red');
  expect(unusedColour(['#ff0000', null, '#0000FF'])).toBe('yellow');
  expect(unusedColour(Object.values(balloonColours))).toBeUndefined();
});
