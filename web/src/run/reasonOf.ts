/** Why a machine does not know something. */
export type Reason = { kind: 'missing' | 'refused'; path: string } | { kind: 'recorded'; text: string };

/** Returns a message without the system's number of an error: `No such file or directory`. */
export const withoutErrno = (text: string) => text.replace(/ \(os error \d+\)/g, '');

/** Returns the reason in a record: a file that a machine does not have is a fact, and no failure. */
export function reasonOf(text: string): Reason {
  const [, path, number] = /(\/[^\s:]+).*\(os error (\d+)\)/.exec(text) ?? [];
  if (path && number === '2') return { kind: 'missing', path };
  if (path && (number === '1' || number === '13')) return { kind: 'refused', path };
  return { kind: 'recorded', text: withoutErrno(text) };
}
