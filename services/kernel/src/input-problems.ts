import { DomainError, invalidInput } from './domain-error';

/** Problems of each field of an input; a field without problems may have an empty list. */
export type InputProblems = Readonly<Record<string, readonly string[]>>;

/**
 * Input that may lack parts at any depth; absent parts are reported elsewhere. An element of an
 * array keeps its place.
 */
export type Parts<T> = { readonly [Name in keyof T]?: PartOf<T[Name]> | undefined };

type PartOf<T> = T extends Date
  ? T
  : T extends readonly (infer Element)[]
    ? readonly ElementOf<Element>[]
    : T extends object
      ? Parts<T>
      : T;
type ElementOf<T> = T extends object ? PartOf<T> : T | undefined;

/**
 * Refuses an input once for all of its problems: throws invalid_input with each field that has
 * problems. Does nothing if there are none.
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
 * Problems of a text. Lengths are counted as in JavaScript, like in the gateway. An empty required
 * text counts as missing.
 */
export function textProblems(
  text: string,
  { min = 0, max }: { readonly min?: 0 | 1; readonly max: number },
): string[] {
  if (text.length < min) return ['Required'];
  return text.length > max ? [`Must be at most ${String(max)} characters`] : [];
}

export const controlCharacterProblem = 'Must not contain control characters';
// Excludes format characters of scripts, such as a zero-width joiner.
const controlCharacter = /\p{Cc}/u;

export function hasControlCharacter(text: string): boolean {
  return controlCharacter.test(text);
}

/** Problems of a text without control characters, such as a name, a label or a caller's id. */
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

/** Problems of a whole number from `min` to `max`. */
export function wholeNumberProblems(
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
): string[] {
  if (Number.isInteger(value) && value >= min && value <= max) return [];
  return [`Must be a whole number from ${String(min)} to ${String(max)}`];
}
