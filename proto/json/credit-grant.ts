import { z } from 'zod';
import { type CreditGrant } from '../gen/billing/metering/v1/metering';
import {
  decimal,
  id,
  metadata,
  time,
  toJsonMetadata,
  toJsonOptionalTime,
  toJsonTime,
} from './scalars';
import { creditGrantStatuses, creditSources } from '../values/metering';

export const CreditGrantJson = z
  .object({
    id,
    organizationId: id,
    customerId: id,
    meterId: id,
    amount: decimal,
    remaining: decimal.meta({
      description: 'Remaining units, after the usage of the current period.',
    }),
    consumed: decimal,
    priority: z
      .int()
      .min(0)
      .max(255)
      .meta({ description: 'Grants with a lower number are used first.' }),
    source: z.enum(['PROMOTIONAL', 'PAID']),
    name: z.string().nullable(),
    effectiveAt: time,
    expiresAt: time.nullable(),
    status: z.enum(['ACTIVE', 'SCHEDULED', 'DEPLETED', 'EXPIRED']),
    metadata,
    createdAt: time,
  })
  .meta({ id: 'CreditGrant' });
export type CreditGrantJson = z.infer<typeof CreditGrantJson>;

/** Credit grant in REST responses. */
export function toJsonCreditGrant(grant: CreditGrant): CreditGrantJson {
  return {
    id: grant.id,
    organizationId: grant.organizationId,
    customerId: grant.customerId,
    meterId: grant.meterId,
    amount: grant.amount,
    remaining: grant.remaining,
    consumed: grant.consumed,
    priority: grant.priority,
    source: creditSources.nameOf(grant.source),
    name: grant.name ?? null,
    effectiveAt: toJsonTime(grant.effectiveAt),
    expiresAt: toJsonOptionalTime(grant.expiresAt),
    status: creditGrantStatuses.nameOf(grant.status),
    metadata: toJsonMetadata(grant.metadata),
    createdAt: toJsonTime(grant.createdAt),
  };
}
