/** Maximum length of a stored address. */
export const webAddressLengthMax = 2_048;
const notAbsolute = ['Must be an absolute http or https URL'];

/**
 * Problems of an address that a browser is redirected to: it must be an absolute http or https URL
 * without user information. All callers that accept such an address use this rule.
 */
export function webAddressProblems(text: string): string[] {
  if (text.length > webAddressLengthMax) {
    return [`Must be at most ${String(webAddressLengthMax)} characters`];
  }
  // URL parsers of browsers correct many errors, but the stored and sent text is uncorrected.
  if (!/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text)) return notAbsolute;
  const url = URL.parse(text);
  if (url === null) return notAbsolute;
  return url.username === '' && url.password === '' ? [] : ['Must not contain user information'];
}
