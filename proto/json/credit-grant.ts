import {
  type CreditGrant,
  CreditGrantStatus,
  CreditSource,
} from '../gen/billing/metering/v1/metering';
import { toJsonEnum, toJsonMetadata, toJsonOptionalTime, toJsonTime } from './scalars';

/** A credit grant as REST shows it. */
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
    source: toJsonEnum(CreditSource, 'CREDIT_SOURCE_', grant.source),
    name: grant.name ?? null,
    effectiveAt: toJsonTime(grant.effectiveAt),
    expiresAt: toJsonOptionalTime(grant.expiresAt),
    status: toJsonEnum(CreditGrantStatus, 'CREDIT_GRANT_STATUS_', grant.status),
    metadata: toJsonMetadata(grant.metadata),
    createdAt: toJsonTime(grant.createdAt),
  };
}
