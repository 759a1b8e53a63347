import type { ApiKey } from '../../api/resources';

/** Whether a key still opens anything. Keys live in real time, whatever clock their environment has. */
export function keyState(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: string,
): 'ACTIVE' | 'REVOKED' | 'EXPIRED' {
  if (revokedAt !== null) return 'REVOKED';
  return expiresAt !== null && expiresAt <= now ? 'EXPIRED' : 'ACTIVE';
}
