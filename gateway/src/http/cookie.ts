/** Attributes of an authenticating cookie. */
export interface CookieTerms {
  readonly path: string;
  readonly maxAge: number;
  /** True if the cookie is sent only over TLS. */
  readonly isGuarded: boolean;
  readonly sameSite: 'Lax' | 'Strict';
}

/** `Set-Cookie` header of an HttpOnly cookie. */
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

/** Parses the cookies of a request by name. */
export function readCookies(header = ''): Map<string, string> {
  const pairs = header.split(';').flatMap((pair): [string, string][] => {
    const separator = pair.indexOf('=');
    if (separator < 0) return [];
    return [[pair.slice(0, separator).trim(), pair.slice(separator + 1).trim()]];
  });
  // The first cookie of a name wins, since it has the more specific path.
  return new Map(pairs.reverse());
}

/** True for a site with TLS. */
export function isOverTls(siteUrl: string): boolean {
  return siteUrl.startsWith('https:');
}

/**
 * Name of a cookie over TLS. Browsers accept the prefix only from the host itself and over TLS, so
 * sibling hosts cannot set the cookie. Over plain HTTP, used only on loopback, browsers reject the
 * prefix.
 */
export function guardedName(name: string): string {
  return `__Host-${name}`;
}

/** Name of a cookie at a site. */
export function cookieNameAt(siteUrl: string, name: string): string {
  return isOverTls(siteUrl) ? guardedName(name) : name;
}

/** Converts a lifetime in milliseconds to whole seconds, rounded down. */
export function maxAgeOf(lifeMs: number): number {
  return Math.max(0, Math.floor(lifeMs / 1_000));
}
