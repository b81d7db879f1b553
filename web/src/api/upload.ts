import { ApiError, api, body, type Schema } from './client';

export interface UploadProgress {
  /** `hashing` computes its hash; `waiting` means that the server does not respond. */
  step: 'hashing' | 'sending' | 'waiting';
  doneBytes: number;
  sizeBytes: number;
}

interface Options {
  signal: AbortSignal;
  onProgress: (progress: UploadProgress) => void;
  /** For tests. */
  wait?: (ms: number) => Promise<void>;
}

/** Small enough that an interruption costs little, large enough that there are few requests. */
const PART_BYTES = 4 << 20;
const WAIT_MS_MAX = 15_000;
/** How often in a row the server may report parts out of order; a lost connection is waited for without a limit. */
const CONFLICTS_MAX = 5;

/**
 * Sends a file in parts and returns its SHA-256 hash, which identifies it in other requests. After an interruption, even one
 * that closed the page, it resumes where it stopped.
 */
export async function upload(file: Blob, { signal, onProgress, wait = pause }: Options): Promise<string> {
  const sizeBytes = file.size;
  const sha256 = await hashOf(file, signal, (doneBytes) => onProgress({ step: 'hashing', doneBytes, sizeBytes }));
  const begin = () => body(api.POST('/api/uploads', { body: { sha256, size_bytes: sizeBytes }, signal }));
  let now: Schema['Upload'] | undefined;
  let doneBytes = 0;
  let failed = 0;
  let conflicts = 0;
  for (;;) {
    try {
      // Begins an upload, or finds the interrupted one.
      now ??= await begin();
      while (now.id != null) {
        signal.throwIfAborted();
        doneBytes = now.received_bytes;
        onProgress({ step: 'sending', doneBytes, sizeBytes });
        now = await sendPart(now.id, file, now.received_bytes, signal);
        failed = 0;
        conflicts = 0;
      }
      onProgress({ step: 'sending', doneBytes: sizeBytes, sizeBytes });
      return sha256;
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error) || (isConflict(error) && ++conflicts > CONFLICTS_MAX)) throw error;
      onProgress({ step: 'waiting', doneBytes, sizeBytes });
      await wait(waitMs(error, failed++));
      signal.throwIfAborted();
      now = undefined;
    }
  }
}

/** Returns the SHA-256 hash of a file of any size: `crypto.subtle` wants all of it in memory, and HTTPS. */
async function hashOf(file: Blob, signal: AbortSignal, onProgress: (doneBytes: number) => void): Promise<string> {
  const [{ sha256 }, { bytesToHex }] = await Promise.all([
    import('@noble/hashes/sha2.js'),
    import('@noble/hashes/utils.js'),
  ]);
  const hash = sha256.create();
  for (let at = 0; at < file.size; at += PART_BYTES) {
    signal.throwIfAborted();
    onProgress(at);
    hash.update(new Uint8Array(await file.slice(at, at + PART_BYTES).arrayBuffer()));
  }
  return bytesToHex(hash.digest());
}

function sendPart(upload: string, file: Blob, from: number, signal: AbortSignal): Promise<Schema['Upload']> {
  return body(
    api.PATCH('/api/uploads/{upload}', {
      params: { path: { upload }, query: { offset_bytes: String(from) } },
      body: file.slice(from, from + PART_BYTES) as never,
      bodySerializer: (part) => part,
      headers: { 'Content-Type': 'application/octet-stream' },
      signal,
    }),
  );
}

/** The last response was lost though the part arrived; or another tab sends the same file. */
const isConflict = (error: unknown) => error instanceof ApiError && [404, 409].includes(error.status);

/** Returns whether the same request may succeed later; not if the file can no longer be read. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof TypeError;
  return isConflict(error) || [408, 425, 429].includes(error.status) || error.status >= 500;
}

function waitMs(error: unknown, failed: number): number {
  const seconds = error instanceof ApiError ? error.retryAfterS : undefined;
  return seconds === undefined ? Math.min(WAIT_MS_MAX, 500 * 2 ** failed) : seconds * 1000;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
