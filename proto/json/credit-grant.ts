import { type CreditGrant } from '../gen/billing/metering/v1/metering';
import { toJsonMetadata, toJsonOptionalTime, toJsonTime } from './scalars';
import { creditGrantStatuses, creditSources } from '../values/metering';

/** Credit grant in REST responses. */
export function toJsonCreditGrant(grant: CreditGrant) {
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
