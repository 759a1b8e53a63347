import { type InputProblems, lineProblems, optionalProblems, type Parts } from '../input-problems';

const nameLengthMax = 120;
// Last instant that ISO 8601 can represent with four digits of the year; many callers send it to
// mean "never".
const expiresAtMax = new Date('9999-12-31T23:59:59.999Z');
// Bounds the work of validation. A scope is a path segment of the API and `read` or `write`, and
// there are far fewer.
export const scopesMax = 100;
const scopePattern = /^[a-z-]+:(?:read|write)$/;

/** The validated fields of an API key. */
export interface ApiKeyFields {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Problems of each field of an API key; `now` is real time. */
export function apiKeyProblems(
  { name, scopes, expiresAt }: Parts<ApiKeyFields>,
  { knownScopes, now }: { readonly knownScopes: ReadonlySet<string>; readonly now: Date },
): InputProblems {
  return {
    name: optionalProblems(name, (text) =>
      lineProblems(text.trim(), { min: 1, max: nameLengthMax }),
    ),
    scopes: optionalProblems(scopes, (list) => scopesProblems(list, knownScopes)),
    expiresAt: optionalProblems(expiresAt, (time) => expiryProblems(time, now)),
  };
}

function expiryProblems(expiresAt: Date, now: Date): string[] {
  if (Number.isNaN(expiresAt.getTime()) || expiresAt > expiresAtMax) return ['Invalid datetime'];
  return expiresAt <= now ? ['Must be in the future'] : [];
}

function scopesProblems(
  scopes: readonly (string | undefined)[],
  known: ReadonlySet<string>,
): string[] {
  if (scopes.length > scopesMax) return [`Must have at most ${String(scopesMax)} elements`];
  return scopes.flatMap((scope, index) => {
    if (scope === undefined || known.has(scope)) return [];
    const problem = scopePattern.test(scope) ? 'Unknown scope' : 'Invalid scope';
    return [`${String(index)}: ${problem}`];
  });
}
