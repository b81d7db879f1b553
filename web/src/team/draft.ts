import { load, save } from '../app/storage';
import { withFiles } from './withFiles';

/** A file of a draft. Binary ones are stored as base64. */
export interface DraftFile {
  name: string;
  text?: string;
  base64?: string;
}

export interface Draft {
  files: DraftFile[];
  /** Chosen by the user; detected otherwise. */
  language?: string;
  entryPoint?: string;
  /** Index of the file in the editor. */
  open?: number;
}

export const emptyDraft: Draft = { files: [] };

const keyOf = (contest: string, account: string, problem: string) => `draft.${contest}.${account}.${problem}`;

/** Returns the draft stored in the browser: per account, since another team may use the machine later. */
export function loadDraft(contest: string, account: string, problem: string): Draft {
  const text = load(keyOf(contest, account, problem));
  if (!text) return emptyDraft;
  try {
    const draft = JSON.parse(text) as Draft;
    return Array.isArray(draft.files) ? draft : emptyDraft;
  } catch {
    return emptyDraft;
  }
}

/** Stores a draft, and returns whether that succeeded: the quota may be exceeded, or zero in private windows. */
export function saveDraft(contest: string, account: string, problem: string, draft: Draft): boolean {
  const key = keyOf(contest, account, problem);
  const text = isEmptyDraft(draft) ? '' : JSON.stringify(draft);
  save(key, text);
  return (load(key) ?? '') === text;
}

export function isEmptyDraft(draft: Draft): boolean {
  return draft.files.every((file) => !file.text?.trim() && !file.base64);
}

/**
 * The drafts of an account in a contest: in memory, and in the browser as far as it has space. `''` is the one without a
 * problem.
 */
export class Drafts {
  #contest: string;
  #account: string;
  #all = new Map<string, Draft>();
  /** Whether the last change is stored in the browser. */
  isKept = true;

  constructor(contest: string, account: string) {
    this.#contest = contest;
    this.#account = account;
  }

  of(problem: string): Draft {
    const draft = this.#all.get(problem) ?? loadDraft(this.#contest, this.#account, problem);
    this.#all.set(problem, draft);
    return draft;
  }

  change(problem: string, next: Partial<Draft>) {
    const draft = { ...this.of(problem), ...next };
    this.#all.set(problem, draft);
    this.isKept = saveDraft(this.#contest, this.#account, problem, draft);
  }

  /** Begins a draft where there is none, without storing it before it is changed. */
  begin(problem: string, draft: Draft) {
    if (isEmptyDraft(this.of(problem))) this.#all.set(problem, draft);
  }

  /** Adds files, and opens the first of them. */
  add(problem: string, added: DraftFile[]) {
    const files = withFiles(this.of(problem).files, added);
    this.change(problem, { files, language: undefined, open: Math.max(0, files.length - added.length) });
  }

  clear(problem: string) {
    this.#all.set(problem, emptyDraft);
    saveDraft(this.#contest, this.#account, problem, emptyDraft);
  }

  /** Gives a problem what was written or chosen before there was one. An earlier draft of the problem is not overwritten. */
  give(problem: string) {
    const early = this.of('');
    if (problem === '' || isEmptyDraft(early)) return;
    if (isEmptyDraft(this.of(problem))) this.change(problem, early);
    else if (early.files.every(({ name }) => name !== '')) this.add(problem, early.files);
    else return;
    this.clear('');
  }
}

export function bytesOf(file: DraftFile): Uint8Array<ArrayBuffer> {
  if (file.base64 === undefined) return new TextEncoder().encode(file.text ?? '') as Uint8Array<ArrayBuffer>;
  return Uint8Array.from(atob(file.base64), (letter) => letter.charCodeAt(0));
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // `fromCharCode` takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Returns whether two sets of files are the same, whatever their order. */
export function areSame(
  one: { name: string; bytes: Uint8Array }[],
  other: { name: string; bytes: Uint8Array }[],
): boolean {
  const rest = new Map(other.map((file) => [file.name, file.bytes]));
  return (
    one.length === other.length &&
    one.every(({ name, bytes }) => {
      const match = rest.get(name);
      return match?.length === bytes.length && bytes.every((byte, index) => byte === match[index]);
    })
  );
}
