import { DomainError, invalidInput } from './domain-error';

/** Problems of each field of an input; a field without problems may have an empty list. */
export type InputProblems = Readonly<Record<string, readonly string[]>>;

/**
 * Refuses an input once, for everything that is wrong with it: throws invalid_input with each field
 * that has problems, and does nothing where none has.
 */
export function refuseProblems(problems: InputProblems): void {
  const found = Object.entries(problems).filter(([, messages]) => messages.length > 0);
  if (found.length === 0) return;
  throw invalidInput(Object.fromEntries(found.map(([field, messages]) => [field, [...messages]])));
}

/**
 * Problems that a parser such as `parseCurrency` reports, regardless of the field that it names.
 */
export function problemsOfParsing(parse: () => unknown): string[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (!(error instanceof DomainError) || error.fields === undefined) throw error;
    return Object.values(error.fields).flat();
  }
}

/**
 * Lengths are those of JavaScript, as the gateway counts them. An empty text where one is required
 * counts as missing.
 */
export function textProblems(
  text: string,
  { min = 0, max }: { readonly min?: 0 | 1; readonly max: number },
): string[] {
  if (text.length < min) return ['Required'];
  return text.length > max ? [`Must be at most ${String(max)} characters`] : [];
}

export const controlCharacterProblem = 'Must not contain control characters';
// The format characters of scripts, such as a zero-width joiner, are none of them.
const controlCharacter = /\p{Cc}/u;

export function hasControlCharacter(text: string): boolean {
  return controlCharacter.test(text);
}

/**
 * Problems of a one-line text, such as a name, a label or a caller's id, which has no control
 * characters.
 */
export function lineProblems(text: string, bounds: Parameters<typeof textProblems>[1]): string[] {
  const problems = textProblems(text, bounds);
  return hasControlCharacter(text) ? [...problems, controlCharacterProblem] : problems;
}

/** Problems of an optional value. */
export function optionalProblems<T>(
  value: T | undefined,
  problemsOf: (value: T) => string[],
): string[] {
  return value === undefined ? [] : problemsOf(value);
}

/** A whole number from `min` to `max`. */
export function wholeNumberProblems(
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
): string[] {
  if (Number.isInteger(value) && value >= min && value <= max) return [];
  return [`Must be a whole number from ${String(min)} to ${String(max)}`];
}
