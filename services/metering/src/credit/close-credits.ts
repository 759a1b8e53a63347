import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { customerPeriods } from '../peer/usage-periods';
import type { Peers } from '../peer/peers';
import { type CreditAccount, withoutDetails } from './account';
import type { ClosedCreditStore } from './closed-credit-store';
import { close, closingOf, expiredGrants, isNothing } from './closing';
import type { GrantDetailsStore } from './grant-details-store';
import { firstUse } from './unsettled-usage';

export interface ClosingDependencies {
  readonly accounts: AggregateCollection<CreditAccount>;
  readonly closedCreditsOf: (context: Pick<CallContext, 'tenant'>) => ClosedCreditStore;
  readonly grantDetailsOf: (context: Pick<CallContext, 'tenant'>) => GrantDetailsStore;
  readonly peers: Pick<Peers, 'subscription'>;
}

/**
 * Takes grants out of a stored account that no usage can burn any more, in three steps: their
 * details, what is taken out, the account. After a crash in between, the next call repeats the
 * steps with the same result. A concurrent change of the account leaves the rest to the next call.
 */
export async function closeCredits(
  account: CreditAccount,
  context: CallContext,
  dependencies: ClosingDependencies,
): Promise<CreditAccount> {
  const { now } = context;
  const { customerId } = account;
  const since = firstUse({ grants: expiredGrants(account, now) });
  const { lived } =
    since === undefined
      ? { lived: [] }
      : await customerPeriods(dependencies.peers, { customerId, since }, context);
  const closing = closingOf(account, { lived, now });
  if (isNothing(closing)) return account;
  const detached = await dependencies.grantDetailsOf(context).takeFrom(account);
  await dependencies.closedCreditsOf(context).insert(account, closing);
  const store = dependencies.accounts.within(context);
  const { state } = await store.mutate(account.id, (before) => ({
    state: close(withoutDetails(before, detached), closing, { lived, now }),
    events: [],
    commands: [],
  }));
  return state;
}
