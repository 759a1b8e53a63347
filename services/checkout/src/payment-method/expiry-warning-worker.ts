import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { chargedSubscriptions } from '../peer/customer';
import type { Peers } from '../peer/peers';
import {
  expiryWarningAt,
  hasExpired,
  isCharged,
  warnOfExpiry,
  withExpiryWarned,
} from './expiry-warning';
import type { Payer, PaymentMethod } from './payment-method';
import { payerIdOf } from './store';
import type { SubscriptionMethodStore } from './subscription-method-store';

/** Dependencies of the warnings. */
export interface ExpiryWarningDependencies {
  readonly saved: AggregateCollection<PaymentMethod>;
  readonly payers: AggregateCollection<Payer>;
  readonly subscriptions: SubscriptionMethodStore;
  readonly peers: Pick<Peers, 'customer' | 'subscription'>;
}

/**
 * Warns that methods expire. The payer records the warning in the write that announces it, and the
 * method is no longer due afterwards: a crash in between repeats the step without an event.
 */
export class ExpiryWarningWorker {
  constructor(private readonly dependencies: ExpiryWarningDependencies) {}

  /** Decides the warning of a method that is due. */
  async warn(methodId: string, context: CallContext): Promise<void> {
    const { saved, payers } = this.dependencies;
    const { state: method } = await saved.within(context).get(methodId);
    const at = expiryWarningAt(method);
    if (at === undefined || at > context.now) return;
    const payerId = payerIdOf(method.customerId, context);
    const payer = await payers.within(context).find(payerId);
    const isWarned = payer !== undefined && (await this.isNeeded(method, payer.state, context));
    if (isWarned) {
      await payers.within(context).mutate(payerId, (current) => warnOfExpiry(current, method));
    }
    await saved.within(context).mutate(methodId, withExpiryWarned);
  }

  private async isNeeded(
    method: PaymentMethod,
    payer: Payer,
    context: CallContext,
  ): Promise<boolean> {
    const { id, customerId } = method;
    if (hasExpired(method, context.now) || !payer.methodIds.includes(id)) return false;
    const { peers, subscriptions } = this.dependencies;
    // A deleted customer has no subscriptions.
    const charged = chargedSubscriptions(customerId, context, peers);
    const [subscriptionIds = [], own] = await Promise.all([
      unlessNotFound(charged),
      subscriptions.listOf(customerId, context),
    ]);
    return isCharged(id, { subscriptionIds, payer, own });
  }
}
