import { textProblems } from '@billing/kernel/input-problems';

const lengthMin = 12;
const lengthMax = 200;

// What is tried first, of those that are long enough.
const common = new Set([
  '123456789012',
  '1234567890123',
  'abcdefghijkl',
  'administrator',
  'iloveyou1234',
  'letmein12345',
  'password1234',
  'password12345',
  'passwordpassword',
  'qwertyuiop12',
  'qwertyuiop123',
  'qwerty123456',
  'welcome12345',
  'changeme1234',
]);

/** What is wrong with a password that somebody wants to have. Length counts most, so nothing else is asked of its characters. */
export function passwordProblems(password: string, email: string): string[] {
  if (password.length < lengthMin) return [`Must be at least ${String(lengthMin)} characters`];
  const tooLong = textProblems(password, { max: lengthMax });
  if (tooLong.length > 0) return tooLong;
  const lower = password.toLowerCase();
  const isOneCharacter = new Set(lower).size === 1;
  if (common.has(lower) || isOneCharacter || lower === email) return ['Is too easy to guess'];
  return [];
}
