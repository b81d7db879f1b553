import { expect, test } from 'vitest';
import { ApiError } from '../api/client';
import { adviceOf } from './SendError';

test.each([
  [new TypeError('Failed to fetch'), 'again'],
  [new ApiError(503), 'again'],
  [new ApiError(429), 'wait'],
  [new ApiError(413), 'kept'],
  [new ApiError(409), 'kept'],
  [new ApiError(409, { type: '/problems/duplicate' } as never), 'same'],
] as const)('%s: %s', (error, expected) => expect(adviceOf(error)).toBe(expected));
