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
import { type CreditGrant, type GrantInput, statusOf } from './account';
import { accountsOf } from './account-store';
import { createCreditGrant } from './create-credit-grant';
import { usagesOf, type UsageDependencies } from './read-running-usage';
import { consumedOf, type RunningUsage } from './running-usage';

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
      const { grant, usage } = await createCreditGrant(series, input, context, dependencies);
      return { creditGrant: toProtoGrant(grant, { ...series, usage, context }) };
    },

    listCreditGrants: async (request, context) => {
      const { customerId } = request;
      const { page, perPage } = readPage(request);
      await requireCustomer(dependencies.peers, customerId, context);
      const accounts = await accountsOf(dependencies, customerId, context);
      const all = accounts
        .flatMap(({ meterId, grants }) => grants.map((grant) => ({ meterId, grant })))
        .toSorted((a, b) => newestFirst(a.grant, b.grant));
      const pageGrants = all.slice((page - 1) * perPage, page * perPage);
      const meterIds = [...new Set(pageGrants.map(({ meterId }) => meterId))];
      const found = await usagesOf({ customerId, meterIds, accounts }, context, dependencies);
      const usages = new Map(found.map((usage) => [usage.meter.id, usage]));
      return {
        creditGrants: pageGrants.map(({ meterId, grant }) =>
          toProtoGrant(grant, { customerId, meterId, usage: usages.get(meterId), context }),
        ),
        total: all.length,
      };
    },
  };
}

function newestFirst(a: CreditGrant, b: CreditGrant): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);
}

function fromProtoGrantInput(request: CreateCreditGrantRequest): GrantInput {
  return { ...request, source: creditSources.sentName(request.source) };
}

function toProtoGrant(
  grant: CreditGrant,
  {
    customerId,
    meterId,
    usage,
    context,
  }: {
    customerId: string;
    meterId: string;
    usage: RunningUsage | undefined;
    context: CallContext;
  },
): ProtoCreditGrant {
  const consumed = (usage && consumedOf(usage).get(grant.id)) ?? none;
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
    name: grant.name ?? undefined,
    effectiveAt: grant.effectiveAt,
    expiresAt: grant.expiresAt ?? undefined,
    status: creditGrantStatuses.valueOf(statusOf(grant, remaining, context.now)),
    metadata: grant.metadata,
    createdAt: grant.createdAt,
  };
}
