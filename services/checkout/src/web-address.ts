const lengthMax = 2048;

/** What is wrong with an address that a browser is sent to: it must be an absolute http or https URL without user information. */
export function webAddressProblems(text: string | undefined): string[] {
  if (text === undefined) return [];
  if (text.length > lengthMax) return [`Must be at most ${String(lengthMax)} characters`];
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return ['Must be an absolute http or https URL'];
  }
  return url.username === '' && url.password === '' ? [] : ['Must not contain user information'];
}
