import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { checkMetadata } from '@billing/chassis/request-fields';
import { notFound } from '@billing/kernel/domain-error';
import { requireKnown } from '../meter/meter';
import { requireCustomer } from '../peer/customers';
import { addGrant, createGrant, type CreditGrant, type GrantInput } from './account';
import { accountId } from './account-store';
import { usagesOf, type UsageDependencies } from './read-running-usage';
import type { RunningUsage } from './running-usage';

/** A stored grant, and the running usage that burns it. */
interface CreatedGrant {
  readonly grant: CreditGrant;
  readonly usage: RunningUsage | undefined;
}

/** Stores a grant of a customer for a meter. Usage of the running period burns it immediately. */
export async function createCreditGrant(
  { customerId, meterId }: { readonly customerId: string; readonly meterId: string },
  input: GrantInput,
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<CreatedGrant> {
  const grant = createGrant(input, {
    id: newResourceId(context, 'credit-grant'),
    now: context.now,
    metadataProblems: checkMetadata(input.metadata),
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
  return { grant: account.grants.find((one) => one.id === grant.id) ?? grant, usage };
}
