import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import { announceChanges, type ResourceEvent } from '@billing/chassis/announced-changes';
import type { DomainEvent } from '@billing/kernel/transition';
import { CheckoutLinkEvent } from '@billing/proto/billing/event/v1/checkout_link_event';
import { SessionEvent as ProtoSessionEvent } from '@billing/proto/billing/event/v1/session_event';
import { toJsonCheckoutLink } from '@billing/proto/json/checkout-link';
import type { InvoiceRecord } from '../invoice/invoice';
import { type InvoicePages, toProtoInvoice } from '../invoice/rpc';
import type { CheckoutLink } from './checkout-link';
import { toProtoCheckoutLink } from './checkout-link-rpc';
import { checkoutLinkDefinition } from './checkout-link-store';
import type { SessionRecord } from './session';
import type { SessionEvent } from './session-announcement';
import { toProtoSession } from './session-rpc';

/**
 * Encodes session events as their proto message in JSON mapping. `stored` is the session right
 * after the decision.
 */
export function sessionEventEncoder(pages: InvoicePages) {
  return (event: DomainEvent, stored: Stored<SessionRecord>): unknown => {
    const { state } = stored;
    if (state.isTombstone) throw new Error(`Session ${state.id} is a tombstone`);
    const { invoice } = (event as SessionEvent).data;
    return ProtoSessionEvent.toJSON({
      session: toProtoSession({ ...stored, state }, pages),
      // Workers pass invoices through the rules in the form in which they read them.
      invoice: toProtoInvoice(invoice as Stored<InvoiceRecord>, pages),
    });
  };
}

/** Checkout links that announce their creation and changes, with the addresses of their pages. */
export function announcedLinks(pages: InvoicePages): AggregateDefinition<CheckoutLink> {
  return {
    ...checkoutLinkDefinition,
    announce: announceChanges('checkout_link', {
      toJson: (stored) => toJsonCheckoutLink(toProtoCheckoutLink(stored, pages)),
    }),
    encodeEvent: (event, stored) => {
      const { changes } = (event as ResourceEvent).data;
      const checkoutLink = toProtoCheckoutLink(stored, pages);
      return CheckoutLinkEvent.toJSON({ checkoutLink, changes });
    },
  };
}
