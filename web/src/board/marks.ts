/** Each state has a shape, so that colour is not needed. */
export const marks = { first: '★', solved: '✓', partial: '◐', failed: '✗', pending: '?', empty: '' } as const;
