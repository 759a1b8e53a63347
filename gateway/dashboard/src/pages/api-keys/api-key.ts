import type { toJsonApiKey } from '@billing/proto/json/api-key';
import type { Operator } from '../../api/session';

export type ApiKey = ReturnType<typeof toJsonApiKey>;

/** Status of a key. Keys follow real time, not the clock of their environment. */
export function keyState(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: string,
): 'ACTIVE' | 'REVOKED' | 'EXPIRED' {
  if (revokedAt !== null) return 'REVOKED';
  return expiresAt !== null && expiresAt <= now ? 'EXPIRED' : 'ACTIVE';
}

/** Creator of a key, as text. */
export function creatorText(
  { type, id }: ApiKey['createdBy'],
  operators: readonly Pick<Operator, 'id' | 'email'>[],
): string {
  switch (type) {
    case 'SYSTEM':
      return 'System';
    case 'OPERATOR':
      return operators.find((operator) => operator.id === id)?.email ?? 'Former operator';
    case 'KEY':
      return `API key ${(id ?? '').slice(0, 8)}`;
  }
}
