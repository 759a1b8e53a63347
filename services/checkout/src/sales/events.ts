import type { Stored } from '@billing/chassis/aggregate';
import type { DomainEvent } from '@billing/kernel/transition';
import { SessionEvent as ProtoSessionEvent } from '@billing/proto/billing/event/v1/session_event';
import type { InvoiceRecord } from '../invoice/invoice';
import { type InvoicePages, toProtoInvoice } from '../invoice/rpc';
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
