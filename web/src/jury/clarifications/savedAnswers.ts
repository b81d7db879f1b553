import { load, save } from '../../app/storage';

const SAVED_MAX = 50;

/** Returns the canned answers that a judge saved in this browser, the newest first. */
export function savedAnswers(): string[] {
  try {
    const saved: unknown = JSON.parse(load('answers') ?? '[]');
    return Array.isArray(saved) ? saved.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Saves an answer, and returns all. */
export function saveAnswer(text: string): string[] {
  const saved = [text, ...savedAnswers().filter((one) => one !== text)].slice(0, SAVED_MAX);
  save('answers', JSON.stringify(saved));
  return saved;
}
