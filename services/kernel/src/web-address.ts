/** Of any address that is kept. */
export const webAddressLengthMax = 2_048;
const notAbsolute = ['Must be an absolute http or https URL'];

/**
 * What is wrong with an address that a browser is sent to: it must be an absolute http or https URL without user information. Everybody
 * who takes one reads it by this rule.
 */
export function webAddressProblems(text: string): string[] {
  if (text.length > webAddressLengthMax) {
    return [`Must be at most ${String(webAddressLengthMax)} characters`];
  }
  // A parser for browsers repairs much; what is stored and sent is the text itself.
  if (!/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text)) return notAbsolute;
  const url = URL.parse(text);
  if (url === null) return notAbsolute;
  return url.username === '' && url.password === '' ? [] : ['Must not contain user information'];
}
