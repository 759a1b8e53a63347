import { type AggregateCollection, unfinishedPass } from '@billing/chassis/aggregate-collection';
import { answerBy, type CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Erasing } from '@billing/chassis/erasure-rpc';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { accountsOf } from '../credit/account-store';
import type { CreditAccount } from '../credit/account';
import type { ClosedCreditStore } from '../credit/closed-credit-store';
import type { GrantDetailsStore } from '../credit/grant-details-store';
import type { Meter } from '../meter/meter';
import type { CustomerDirectory } from '../peer/customer-directory';
import type { EventCollections } from '../usage/event-store';
import { EventErasureStore } from './event-erasure-store';

export interface ErasureDependencies {
  readonly meters: AggregateCollection<Meter>;
  readonly accounts: AggregateCollection<CreditAccount>;
  readonly grantDetailsOf: (context: CallContext) => GrantDetailsStore;
  readonly closedCreditsOf: (context: CallContext) => ClosedCreditStore;
  readonly events: EventCollections;
  readonly directory: Pick<CustomerDirectory, 'forget'>;
  readonly clock: Clock;
}

/** Erases deleted customers from usage and credits. Quantities stay. */
export function erasingUsage(dependencies: ErasureDependencies): Erasing {
  const { directory } = dependencies;
  return {
    eraseData: async ({ customerId }, context) => {
      directory.forget(context.tenant.environmentId, customerId);
      await eraseGrants(customerId, context, dependencies);
      await eraseEvents(customerId, context, dependencies);
    },
  };
}

async function eraseGrants(
  customerId: string,
  context: CallContext,
  { accounts, grantDetailsOf, closedCreditsOf }: ErasureDependencies,
): Promise<void> {
  const details = grantDetailsOf(context);
  for (const { id, grants } of await accountsOf({ accounts }, customerId, context)) {
    await details.eraseMetadata(grants.map((grant) => grant.id));
    await accounts.within(context).mutate(id, withoutMetadata);
  }
  const closed: string[] = [];
  const listed = { batchSize: grantsMax, oldestFirst: true };
  for await (const { terms } of closedCreditsOf(context).list(customerId, listed)) {
    closed.push(terms.id);
  }
  await details.eraseMetadata(closed);
}

// Grants of earlier releases have their details in the account.
function withoutMetadata(account: CreditAccount): Transition<CreditAccount> {
  const hasMetadata = account.grants.some(
    ({ details }) => details !== undefined && Object.keys(details.metadata).length > 0,
  );
  if (!hasMetadata) return unchanged(account);
  const grants = account.grants.map(({ details, ...grant }) =>
    details === undefined ? grant : { ...grant, details: { ...details, metadata: {} } },
  );
  return only({ ...account, grants });
}

const grantsMax = 1_000;

async function eraseEvents(
  customerId: string,
  context: CallContext,
  { events, meters, clock }: ErasureDependencies,
): Promise<void> {
  const all = await meters.within(context).listAll({});
  const uniqueProperties = new Map(all.map(({ state }) => [state.id, state.uniqueProperty]));
  for (const collection of await events.all()) {
    const store = new EventErasureStore(collection, context.tenant);
    while (await store.eraseSome(customerId, uniqueProperties)) {
      if (clock.now() >= answerBy(context)) throw unfinishedPass();
    }
  }
}
