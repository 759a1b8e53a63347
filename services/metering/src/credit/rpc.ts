import type { CallContext } from '@billing/chassis/call-context';
import { readPage } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { Decimal } from '@billing/kernel/decimal';
import {
  type CreateCreditGrantRequest,
  type CreditGrant as ProtoCreditGrant,
  type MeteringServiceServer,
} from '@billing/proto/billing/metering/v1/metering';
import { creditGrantStatuses, creditSources } from '@billing/proto/values/metering';
import { requireCustomer } from '../peer/customers';
import { type GrantInput, statusOf } from './account';
import { createCreditGrant } from './create-credit-grant';
import { listCreditGrants, type ListedGrant } from './list-credit-grants';
import type { UsageDependencies } from './read-running-usage';
import { consumedOf } from './running-usage';

type CreditCalls = Pick<
  AsyncHandlers<MeteringServiceServer>,
  'createCreditGrant' | 'listCreditGrants'
>;

const none = Decimal.of(0n);

/** RPCs for credit grants. */
export function creditCalls(dependencies: UsageDependencies): CreditCalls {
  return {
    createCreditGrant: async (request, context) => {
      const { customerId, meterId } = request;
      const input = fromProtoGrantInput(request);
      const series = { customerId, meterId };
      const created = await createCreditGrant(series, input, context, dependencies);
      const { grant, details, usage } = created;
      const consumed = (usage && consumedOf(usage).get(grant.id)) ?? none;
      return { creditGrant: toProtoGrant({ grant, details, consumed, ...series }, context) };
    },

    listCreditGrants: async (request, context) => {
      const { customerId } = request;
      await requireCustomer(dependencies.peers, customerId, context);
      const { grants, total } = await listCreditGrants(
        customerId,
        readPage(request),
        context,
        dependencies,
      );
      return { creditGrants: grants.map((one) => toProtoGrant(one, context)), total };
    },
  };
}

function fromProtoGrantInput(request: CreateCreditGrantRequest): GrantInput {
  return { ...request, source: creditSources.sentName(request.source) };
}

/** Grant as its callers see it. */
export function toProtoGrant(
  { grant, details, consumed, customerId, meterId }: ListedGrant,
  context: CallContext,
): ProtoCreditGrant {
  const remaining = Decimal.parse(grant.amount).subtract(consumed);
  return {
    id: grant.id,
    organizationId: context.tenant.organizationId,
    customerId,
    meterId,
    amount: grant.amount,
    remaining: remaining.toString(),
    consumed: consumed.toString(),
    priority: grant.priority,
    source: creditSources.valueOf(grant.source),
    name: details.name ?? undefined,
    effectiveAt: grant.effectiveAt,
    expiresAt: grant.expiresAt ?? undefined,
    status: creditGrantStatuses.valueOf(statusOf(grant, remaining, context.now)),
    metadata: details.metadata,
    createdAt: grant.createdAt,
  };
}
