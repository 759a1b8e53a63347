import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { checkMetadata } from '@billing/chassis/metadata';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { readPage } from '@billing/chassis/page';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { Decimal } from '@billing/kernel/decimal';
import { notFound } from '@billing/kernel/domain-error';
import {
  type CreateCreditGrantRequest,
  type CreditGrant as ProtoCreditGrant,
  type MeteringServiceServer,
} from '@billing/proto/billing/metering/v1/metering';
import { creditGrantStatuses, creditSources } from '@billing/proto/values/metering';
import {
  addGrant,
  createGrant,
  type CreditGrant,
  type GrantInput,
  statusOf,
} from './credit-account';
import { requireKnown } from './meter';
import { requireCustomer } from './peer/customers';
import {
  accountId,
  accountsOf,
  consumedOf,
  periodsFor,
  runningUsages,
  type RunningUsage,
  type UsageDependencies,
  usageStates,
} from './usage-rpc';

type CreditCalls = Pick<
  AsyncHandlers<MeteringServiceServer>,
  'createCreditGrant' | 'listCreditGrants' | 'getUsageState'
>;

const none = Decimal.of(0n);

/** RPCs for credits and balances. */
export function creditCalls(dependencies: UsageDependencies): CreditCalls {
  return {
    createCreditGrant: async (request, context) => ({
      creditGrant: await create(request, context, dependencies),
    }),

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

    getUsageState: async ({ customerId }, context) => ({
      states: await usageStates(customerId, context, dependencies),
    }),
  };
}

async function create(
  request: CreateCreditGrantRequest,
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<ProtoCreditGrant> {
  const { customerId, meterId } = request;
  const grant = createGrant(fromProtoGrantInput(request), {
    id: newResourceId(context, 'credit-grant'),
    now: context.now,
    metadataProblems: checkMetadata(request.metadata),
  });
  const id = accountId(context, { customerId, meterId });
  const store = dependencies.accounts.within(context);
  const [meter, known] = await Promise.all([
    dependencies.meters.within(context).find(meterId),
    store.find(id),
    requireCustomer(dependencies.peers, customerId, context),
  ]);
  if (meter === undefined) throw notFound('Meter');
  requireKnown(meter.state);
  const empty = { id, customerId, meterId, grants: [], consumptions: [], burns: [] };
  const wanted = addGrant(known?.state ?? empty, grant);
  // Read before the grant is stored: a failure or timeout must not leave a grant that the caller
  // does not know of.
  const [usage] = await usagesOf(
    { customerId, meterIds: [meterId], accounts: [wanted] },
    context,
    dependencies,
  );
  if (context.signal.aborted) throw new DeadlineExceededError();
  const fresh = { state: addGrant(empty, grant), events: [], commands: [] };
  const { stored, inserted } = await store.insert(fresh);
  const { state: account } = inserted
    ? stored
    : await store.mutate(id, (before) => ({
        state: addGrant(before, grant),
        events: [],
        commands: [],
      }));
  const storedGrant = account.grants.find((one) => one.id === grant.id) ?? grant;
  return toProtoGrant(storedGrant, { customerId, meterId, usage, context });
}

async function usagesOf(
  scope: Omit<Parameters<typeof runningUsages>[0], 'periods'>,
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<RunningUsage[]> {
  const periods = await periodsFor(scope, context, dependencies);
  return runningUsages({ ...scope, periods }, context, dependencies);
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
