import { z } from 'zod';

const lengthMax = 2_048;
const message = 'Must be an absolute http or https URL without user information';

/** Where a browser may be sent: an absolute http or https address without a user in it. */
export const webAddress = z
  .string()
  .max(lengthMax)
  .refine(isWebAddress, message)
  // Not of the format `uri`: that has no braces, and `{SESSION_ID}` does.
  .meta({ description: 'Absolute, http or https.' });

/** Whether a browser may be sent there. */
export function isWebAddress(text: string): boolean {
  // A parser for browsers repairs much; what is stored and sent is the text itself.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
}
