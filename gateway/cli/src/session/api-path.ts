/** True for a path of the API; segments of dots must not lead out of it. */
export function isApiPath(path: string): boolean {
  const anyOrigin = 'http://localhost';
  if (!path.startsWith('/v1/') || !URL.canParse(path, anyOrigin)) return false;
  return new URL(path, anyOrigin).pathname.startsWith('/v1/');
}

/** True for the request that may be sent again while it runs: both then wait for the same end. */
export function isJoinable(path: string): boolean {
  return path === '/v1/sandboxes/clock/advance';
}
