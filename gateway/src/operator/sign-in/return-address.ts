import { dashboardPath } from '../route/addresses';

// A longer address would exceed the size limit of the cookie.
const lengthMax = 1_000;

/**
 * Page to open after the sign-in: the requested address, or the front page if it is not on the
 * dashboard.
 */
export function returnAddress(wanted: unknown, siteUrl: string): string {
  if (typeof wanted !== 'string' || wanted.length > lengthMax) return dashboardPath;
  const url = URL.parse(wanted, siteUrl);
  if (url === null || url.origin !== new URL(siteUrl).origin) return dashboardPath;
  const { pathname, search, hash } = url;
  const isPage =
    /^\/dashboard(\/|$)/.test(pathname) &&
    !/^\/dashboard\/(api|sign-in|invitation|reset)(\/|$)/.test(pathname);
  const address = `${pathname}${search}${hash}`;
  // Escaping may have made the address longer.
  return isPage && address.length <= lengthMax ? address : dashboardPath;
}
