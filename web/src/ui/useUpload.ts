import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type UploadProgress, upload } from '../api/upload';
import { useFormat } from '../i18n/format';

/** Uploads a file in parts. The upload is cancelled when the view is left, and resumes when the same file is sent again. */
export function useUpload() {
  const [progress, setProgress] = useState<UploadProgress>();
  const cancel = useRef<AbortController>(null);
  useEffect(() => () => cancel.current?.abort(), []);
  const send = useCallback(async (file: Blob): Promise<string> => {
    cancel.current?.abort();
    const control = new AbortController();
    cancel.current = control;
    try {
      return await upload(file, { signal: control.signal, onProgress: setProgress });
    } finally {
      if (cancel.current === control) setProgress(undefined);
    }
  }, []);
  return { send, progress, cancel: useCallback(() => cancel.current?.abort(), []) };
}

/** Returns the function that puts the progress of an upload into words. */
export function useUploadWords(): (progress: UploadProgress) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return ({ step, doneBytes, sizeBytes }) =>
    t(`upload.${step}`, { done: format.bytes(doneBytes), size: format.bytes(sizeBytes) });
}

/** Returns whether an error is a cancellation. */
export const isCancelled = (error: unknown) => error instanceof DOMException && error.name === 'AbortError';
