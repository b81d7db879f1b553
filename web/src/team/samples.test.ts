import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { textOf, unzip } from '../ui/files';
import { SHOWN_BYTES_MAX, samplesOf, shownText } from './samples';

const bytes = (text: string) => new TextEncoder().encode(text);

test('samples of a zip are paired, in the order of their names', async () => {
  const zip = zipSync({
    '10.in': bytes('1'),
    '10.ans': bytes('2'),
    '2.in': bytes('é'),
    '2.ans': bytes('4'),
    '3.interaction': bytes('<x'),
  });
  const samples = samplesOf(await unzip(zip.buffer as ArrayBuffer));
  expect(samples.map(({ name }) => name)).toEqual(['2', '3', '10']);
  expect(textOf(samples[0]?.input?.bytes ?? bytes(''))).toBe('é');
  expect(samples[1]?.others.map(({ name }) => name)).toEqual(['3.interaction']);
  expect(samples[2]?.answer?.name).toBe('10.ans');
});

test('long files are cut at a line, binary files are not shown', () => {
  const long = { name: 'a.in', bytes: bytes('é\n'.repeat(SHOWN_BYTES_MAX)) };
  const shown = shownText(long);
  expect(shown?.isCut).toBe(true);
  expect(shown?.text.endsWith('é\n')).toBe(true);
  expect(shownText({ name: 'a.in', bytes: new Uint8Array([1, 0, 2]) })).toBeUndefined();
  expect(shownText({ name: 'a.in', bytes: bytes('1\n') })).toEqual({ text: '1\n', isCut: false });
});
