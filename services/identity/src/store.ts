import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { ApiKey, KeyCreator } from './api-key';
import type { Environment, ClockAdvance, ClockAdvanceResult, Lease } from './environment';
import { encodeApiKeyEvent } from './events';
import type { Organization } from './organization';

/** Organizations, each in its own live environment. */
export const organizations: AggregateDefinition<Organization> = {
  collection: 'organizations',
  aggregate: 'organization',
  resource: 'Organization',
  toDocument: ({ name, owners }) => ({ name, owners }),
  fromDocument: ({ _id, name, owners }) => ({
    id: _id,
    name: name as string,
    // Absent in documents of releases without operators.
    owners: (owners as string[] | undefined) ?? [],
  }),
};

/** Environments, each in itself. An unfinished advance is resumed when its lease has expired. */
export const environments: AggregateDefinition<Environment> = {
  collection: 'environments',
  aggregate: 'environment',
  resource: 'Environment',
  toDocument: ({ kind, name, clock, deletedAt, deletesAt, advancedAt }) => ({
    kind,
    name,
    deletedAt: deletedAt ?? null,
    deletesAt: deletesAt ?? null,
    advancedAt: advancedAt ?? null,
    clock: clock.kind === 'REAL' ? clock : { ...clock, lease: clock.lease ?? null },
  }),
  fromDocument: ({ _id, kind, name, clock, deletedAt, deletesAt, advancedAt }) => ({
    id: _id,
    kind: kind as Environment['kind'],
    name: name as string,
    clock: fromDocumentClock(clock as ClockDocument),
    // Absent in documents of releases without the deletion of sandboxes.
    deletedAt: (deletedAt as Date | null | undefined) ?? undefined,
    // Absent in documents of releases without the deletion of unused sandboxes.
    deletesAt: (deletesAt as Date | null | undefined) ?? undefined,
    advancedAt: (advancedAt as Date | null | undefined) ?? undefined,
  }),
  recoverAt: ({ clock }) => (clock.kind === 'MANUAL' ? clock.lease?.until : undefined),
};

/** Keys, each in the environment that it opens. */
export const apiKeys: AggregateDefinition<ApiKey> = {
  collection: 'apiKeys',
  aggregate: 'api_key',
  resource: 'API key',
  toDocument: ({
    hash,
    name,
    prefix,
    last4,
    scopes,
    expiresAt,
    revokedAt,
    lastUsedAt,
    createdBy,
  }) => ({
    hash,
    name,
    prefix,
    last4,
    scopes,
    expiresAt: expiresAt ?? null,
    revokedAt: revokedAt ?? null,
    lastUsedAt: lastUsedAt ?? null,
    createdBy,
  }),
  fromDocument: ({ _id, ...fields }) => ({
    id: _id,
    hash: fields.hash as string,
    name: fields.name as string,
    prefix: fields.prefix as string,
    last4: fields.last4 as string,
    scopes: fields.scopes as string[],
    expiresAt: (fields.expiresAt as Date | null) ?? undefined,
    revokedAt: (fields.revokedAt as Date | null) ?? undefined,
    // Absent in documents of releases that did not record uses.
    lastUsedAt: (fields.lastUsedAt as Date | null | undefined) ?? undefined,
    // Absent in documents of releases that did not store creators.
    createdBy: (fields.createdBy as KeyCreator | undefined) ?? { type: 'SYSTEM' },
  }),
  encodeEvent: encodeApiKeyEvent,
};

// The server may return a small integer in 64 bits.
type Counted<T extends { readonly processed: number }> = Omit<T, 'processed'> & {
  readonly processed: number | bigint;
};

type ClockDocument =
  | { readonly kind: 'REAL' }
  | {
      readonly kind: 'MANUAL';
      readonly now: Date;
      readonly jumps: readonly Counted<ClockAdvance>[];
      readonly landings: readonly Counted<ClockAdvanceResult>[];
      readonly lease: Lease | null;
    };

function fromDocumentClock(clock: ClockDocument): Environment['clock'] {
  if (clock.kind === 'REAL') return { kind: 'REAL' };
  return {
    kind: 'MANUAL',
    now: clock.now,
    jumps: clock.jumps.map(({ processed, ...advance }) => ({
      ...advance,
      processed: Number(processed),
    })),
    landings: clock.landings.map(({ processed, ...result }) => ({
      ...result,
      processed: Number(processed),
    })),
    lease: clock.lease ?? undefined,
  };
}
