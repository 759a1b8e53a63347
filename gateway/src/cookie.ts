/** How browsers keep a cookie that proves something. */
export interface CookieTerms {
  readonly path: string;
  readonly maxAge: number;
  /** Sent back over TLS alone. */
  readonly isGuarded: boolean;
  readonly sameSite: 'Lax' | 'Strict';
}

/** The header that sets a cookie which no script reads. */
export function setCookie(
  name: string,
  value: string,
  { path, maxAge, isGuarded, sameSite }: CookieTerms,
): string {
  const attributes = [
    `Path=${path}`,
    `Max-Age=${String(maxAge)}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
  ];
  return [`${name}=${value}`, ...attributes, ...(isGuarded ? ['Secure'] : [])].join('; ');
}

/** The cookies that a browser sent, by name. */
export function readCookies(header = ''): Map<string, string> {
  const pairs = header.split(';').flatMap((pair): [string, string][] => {
    const separator = pair.indexOf('=');
    if (separator < 0) return [];
    return [[pair.slice(0, separator).trim(), pair.slice(separator + 1).trim()]];
  });
  // Of a name that is sent twice the first one counts: it has the more exact path.
  return new Map(pairs.reverse());
}

/** Whether a site is reached over TLS. */
export function isOverTls(siteUrl: string): boolean {
  return siteUrl.startsWith('https:');
}

/**
 * A cookie's name over TLS. Browsers take a name with this prefix from the very host and over TLS
 * alone, so no neighbouring host can plant one. Over plain HTTP, which is for a machine's own
 * loopback, they would not take it at all.
 */
export function guardedName(name: string): string {
  return `__Host-${name}`;
}

/** What a cookie is called at a site. */
export function cookieNameAt(siteUrl: string, name: string): string {
  return isOverTls(siteUrl) ? guardedName(name) : name;
}

/** Of a life in milliseconds: whole seconds, none of which lie behind its end. */
export function maxAgeOf(lifeMs: number): number {
  return Math.max(0, Math.floor(lifeMs / 1_000));
}
