import { type CallContext, mayHaveRun, newResourceId } from '@billing/chassis/call-context';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { checkMetadata } from '@billing/chassis/request-fields';
import { notFound } from '@billing/kernel/domain-error';
import { requireKnown } from '../meter/meter';
import { requireCustomer } from '../peer/customers';
import {
  addGrant,
  createGrant,
  type CreditAccount,
  type CreditGrant,
  detailsOf,
  emptyAccount,
  type GrantDetails,
  type GrantInput,
  grantsMax,
  withoutDetails,
} from './account';
import { accountId } from './account-store';
import { usagesOf, type UsageDependencies } from './read-running-usage';
import { consumedOf, type RunningUsage } from './running-usage';

/** A stored grant, and the running usage that burns it. */
interface CreatedGrant {
  readonly grant: CreditGrant;
  readonly details: GrantDetails;
  readonly usage: RunningUsage | undefined;
}

/**
 * Stores a grant of a customer for a meter: its details, then the account. Usage of the running
 * period burns it immediately.
 */
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
  const details = detailsOf(input);
  const id = accountId(context, { customerId, meterId });
  const store = dependencies.accounts.within(context);
  const [meter, known] = await Promise.all([
    dependencies.meters.within(context).find(meterId),
    store.find(id),
    requireCustomer(dependencies.peers, customerId, context),
  ]);
  if (meter === undefined) throw notFound('Meter');
  requireKnown(meter.state);
  const account = known?.state ?? emptyAccount({ id, customerId, meterId });
  const isKnown = account.grants.some((one) => one.id === grant.id);
  // Read before the grant is stored: a failure or timeout must not leave a grant that the caller
  // does not know of.
  const [usage] = await usagesOf(
    {
      customerId,
      meterIds: [meterId],
      accounts: [isKnown ? account : { ...account, grants: [...account.grants, grant] }],
    },
    context,
    dependencies,
  );
  if (context.signal.aborted) throw new DeadlineExceededError();
  // What the usage has stored is no grant.
  context.storing?.close();
  const createdIn = ({ grants }: CreditAccount) => ({
    grant: grants.find((one) => one.id === grant.id) ?? grant,
    details,
    usage,
  });
  if (isKnown || (await isClosed(grant, context, dependencies))) return createdIn(account);
  const add = (before: CreditAccount) => addGrant(before, grant, usage && consumedOf(usage));
  // Refused before the details are stored. Reading the usage may have closed grants of a full
  // account.
  add(account.grants.length < grantsMax ? account : (await store.get(id)).state);
  const detailsStore = dependencies.grantDetailsOf(context);
  const detached = await detailsStore.takeFrom(account);
  await detailsStore.insert(account, new Map([[grant.id, details]]));
  if (known === undefined) {
    const fresh = { state: add(account), events: [], commands: [] };
    const { stored, inserted } = await store.insert(fresh);
    if (inserted) return createdIn(stored.state);
  }
  const { state } = await store.mutate(id, (before) => ({
    state: add(withoutDetails(before, detached)),
    events: [],
    commands: [],
  }));
  return createdIn(state);
}

/** True if an earlier call with the same key created the grant so long ago that it is closed. */
async function isClosed(
  { id }: CreditGrant,
  context: CallContext,
  { closedCreditsOf }: Pick<UsageDependencies, 'closedCreditsOf'>,
): Promise<boolean> {
  return mayHaveRun(context) && closedCreditsOf(context).hasGrant(id);
}
