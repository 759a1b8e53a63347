const lengthMax = 2048;
const notAbsolute = ['Must be an absolute http or https URL'];

/** What is wrong with an address that a browser is sent to: it must be an absolute http or https URL without user information. */
export function webAddressProblems(text: string | undefined): string[] {
  if (text === undefined) return [];
  if (text.length > lengthMax) return [`Must be at most ${String(lengthMax)} characters`];
  // A parser repairs much; what is stored and sent is the text itself.
  if (!/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text)) return notAbsolute;
  const url = URL.parse(text);
  if (url === null) return notAbsolute;
  return url.username === '' && url.password === '' ? [] : ['Must not contain user information'];
}
