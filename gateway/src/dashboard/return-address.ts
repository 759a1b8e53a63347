import { dashboardPath } from './addresses';

// Longer ones would not fit into a cookie with what else it holds.
const lengthMax = 1_000;

/** Where on the dashboard somebody goes on who has signed in: the address that they wanted, or the front if that is no page of it. */
export function returnAddress(wanted: unknown, siteUrl: string): string {
  if (typeof wanted !== 'string' || wanted.length > lengthMax) return dashboardPath;
  const url = URL.parse(wanted, siteUrl);
  if (url === null || url.origin !== new URL(siteUrl).origin) return dashboardPath;
  const { pathname, search, hash } = url;
  const isPage =
    /^\/dashboard(\/|$)/.test(pathname) &&
    !/^\/dashboard\/(api|sign-in|invitation|reset)(\/|$)/.test(pathname);
  const address = `${pathname}${search}${hash}`;
  // What was escaped on the way may have become longer.
  return isPage && address.length <= lengthMax ? address : dashboardPath;
}
