import type { ApiKey } from '../../api/resources';

/** Status of a key. Keys follow real time, not the clock of their environment. */
export function keyState(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: string,
): 'ACTIVE' | 'REVOKED' | 'EXPIRED' {
  if (revokedAt !== null) return 'REVOKED';
  return expiresAt !== null && expiresAt <= now ? 'EXPIRED' : 'ACTIVE';
}
