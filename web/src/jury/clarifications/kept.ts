import { load, save } from '../../app/storage';

const KEPT_MAX = 50;

/** Returns the answers that a judge keeps in this browser. */
export function keptAnswers(): string[] {
  try {
    const kept: unknown = JSON.parse(load('answers') ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Keeps an answer, and returns all. */
export function keepAnswer(text: string): string[] {
  const kept = [text, ...keptAnswers().filter((one) => one !== text)].slice(0, KEPT_MAX);
  save('answers', JSON.stringify(kept));
  return kept;
}
