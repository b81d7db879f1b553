/** Each state has a shape, so that nobody needs its colour. */
export const marks = { first: '★', solved: '✓', partial: '◐', failed: '✗', pending: '?', empty: '' } as const;
