import { passwordLengthProblems } from '@billing/kernel/operator-fields';

// Characters that people add to a common word to make it long enough: "Football2024!!".
const addedMax = 6;

/** Passwords that attackers try first, in lower case. */
export type CommonPasswords = ReadonlySet<string>;

/**
 * Lists the violations of a new password. Length counts most, so there are no rules about kinds of
 * characters.
 */
export function passwordProblems(
  password: string,
  email: string,
  common: CommonPasswords,
): string[] {
  const ofLength = passwordLengthProblems(password);
  if (ofLength.length > 0) return ofLength;
  const lower = password.normalize('NFKC').toLowerCase();
  const isOneCharacter = new Set(lower).size === 1;
  if (isCommon(lower, common) || isOneCharacter || lower === email) return ['Too easy to guess'];
  return [];
}

/** True for a common password, one written twice, or one with a few digits or signs around it. */
function isCommon(lower: string, common: CommonPasswords): boolean {
  if (common.has(lower)) return true;
  const half = lower.slice(0, lower.length / 2);
  if (half + half === lower && common.has(half)) return true;
  const word = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return word !== '' && lower.length - word.length <= addedMax && common.has(word);
}
