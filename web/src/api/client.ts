import createClient, { type Middleware } from 'openapi-fetch';
import { clock } from './clock';
import type { components, paths } from './schema';

/** The types on the wire, by their names in the OpenAPI document: `Schema['Submission']`. */
export type Schema = components['schemas'];

/** An unsuccessful response. `message` is the server's. */
export class ApiError extends Error {
  readonly status: number;
  /** Absent if the response is not the server's: a proxy's, or none at all. */
  readonly problem: Schema['ProblemDetails'] | undefined;

  /** The server's `Retry-After`, in seconds. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, problem?: Schema['ProblemDetails'], retryAfterS?: number) {
    super(problem?.detail ?? `HTTP ${status}`);
    this.status = status;
    this.problem = problem;
    this.retryAfterS = retryAfterS;
  }
}

const sentMs = new Map<string, number>();

const middleware: Middleware = {
  onRequest({ id }) {
    sentMs.set(id, Date.now());
  },
  async onResponse({ id, response }) {
    const date = Date.parse(response.headers.get('date') ?? '');
    const sent = sentMs.get(id);
    sentMs.delete(id);
    if (sent !== undefined && !Number.isNaN(date)) clock.observe(date, sent, Date.now());
    if (!response.ok) throw await errorOf(response);
  },
  onError({ id }) {
    sentMs.delete(id);
  },
};

export async function errorOf(response: Response): Promise<ApiError> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return new ApiError(
    response.status,
    isProblem ? await response.json() : undefined,
    Number.isNaN(seconds) ? undefined : seconds,
  );
}

/** Requests that change something need this header, which pages of another origin cannot send. */
export const ownHeaders = { 'X-Tautochrone': '1' };

/** The API. Unsuccessful responses are thrown as `ApiError`. */
export const api = createClient<paths>({
  baseUrl: typeof location === 'undefined' ? '' : location.origin,
  headers: ownHeaders,
  // Looked up at each request, so that tests can replace it.
  fetch: (request) => fetch(request),
});
api.use(middleware);

/** Returns the body of a response: `await body(api.GET('/api/contests'))`. */
export async function body<T>(answer: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  return (await answer).data as NonNullable<T>;
}

/** Returns the address of a file that an object names. */
export function fileUrl(file: Schema['FileReference'] | undefined): string | undefined {
  const href = file?.href;
  // Relative to the API's base, as CLICS has it.
  return href ? new URL(href, `${location.origin}/api/`).href : undefined;
}
