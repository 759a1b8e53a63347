import type { Stored } from '@billing/chassis/aggregate';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type FieldChange,
  SubscriptionEvent as ProtoSubscriptionEvent,
  type UpcomingCharge,
} from '@billing/proto/billing/event/v1/subscription_event';
import {
  CancelReason as ProtoCancelReason,
  type Subscription as ProtoSubscription,
} from '@billing/proto/billing/subscription/v1/subscription';
import { fieldChangesBetween } from '@billing/proto/json/field-changes';
import { toJsonSubscription } from '@billing/proto/json/subscription';
import { upcomingCharge } from './billing/upcoming-charge';
import type { PaymentOutcome, SubscriptionEvent } from './subscription/announcement';
import { currencyOf, type Subscription } from './subscription/subscription';
import { toProtoCancelReason, toProtoSubscription } from './message/subscription-message';
import type { SubscriptionRecord } from './subscription/tombstone';

/**
 * Encodes an event's data for the wire: its proto message in JSON mapping. `stored` supplies the
 * tenant and the time of the change.
 */
export function encodeEvent(event: SubscriptionEvent, stored: Stored<SubscriptionRecord>): unknown {
  return ProtoSubscriptionEvent.toJSON(toProtoEvent(event, stored));
}

function toProtoEvent(
  event: SubscriptionEvent,
  stored: Stored<SubscriptionRecord>,
): ProtoSubscriptionEvent {
  const at = (state: Subscription) => toProtoSubscription({ ...stored, state });
  const message: ProtoSubscriptionEvent = {
    subscription: at(event.data.subscription),
    invoice: undefined,
    invoiceId: undefined,
    changeId: undefined,
    changes: {},
    attempt: undefined,
    nextAttemptAt: undefined,
    canceledAt: undefined,
    reason: ProtoCancelReason.CANCEL_REASON_UNSPECIFIED,
    upcoming: undefined,
  };
  switch (event.type) {
    case 'subscription.created':
    case 'subscription.renewed':
      return { ...message, invoiceId: event.data.invoiceId ?? undefined };
    case 'subscription.canceled': {
      const { subscription, payment } = event.data;
      const { canceledAt, cancelReason } = subscription;
      const reason = toProtoCancelReason(cancelReason);
      const given = payment === null ? {} : toProtoPayment(payment);
      return { ...message, ...given, canceledAt: canceledAt ?? undefined, reason };
    }
    case 'subscription.updated':
      return {
        ...message,
        changes: changesBetween(at(event.data.before), message.subscription),
        changeId: event.data.changeId,
        // See toProtoPayment.
        invoice: event.data.invoice as Invoice | undefined,
      };
    case 'subscription.payment_succeeded':
    case 'subscription.payment_failed':
      return { ...message, ...toProtoPayment(event.data.payment) };
    case 'subscription.trial_ending':
    case 'subscription.renewal_upcoming':
      return { ...message, upcoming: upcomingOf(event.data.subscription) };
  }
}

function upcomingOf(subscription: Subscription): UpcomingCharge {
  const upcoming = upcomingCharge(subscription);
  if (upcoming === null) throw new Error(`No charge of ${subscription.id} follows`);
  const { at, total: amount } = upcoming;
  return { at, amount, currency: currencyOf(subscription) };
}

function toProtoPayment({ invoice, attempt, nextAttemptAt }: PaymentOutcome) {
  return {
    // The rules never read it (`InvoiceForm`); rpc.ts gave them checkout's message.
    invoice: invoice as Invoice,
    attempt: attempt === 0 ? undefined : attempt,
    nextAttemptAt: nextAttemptAt ?? undefined,
  };
}

function changesBetween(
  before: ProtoSubscription,
  after: ProtoSubscription | undefined,
): Record<string, FieldChange> {
  if (after === undefined) throw new Error('An event carries its subscription');
  return fieldChangesBetween(toJsonSubscription(before), toJsonSubscription(after));
}
