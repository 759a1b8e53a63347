import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import {
  encodeAll,
  type Encoder,
  oneEach,
  type Scan,
  scanAggregates,
  scanOf,
  untilDone,
} from '@billing/chassis/export-rpc';
import { BalanceEntry } from '@billing/proto/billing/checkout/v1/balance';
import { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { CheckoutLink } from '@billing/proto/billing/checkout/v1/checkout_link';
import { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { Dispute, Refund } from '@billing/proto/billing/checkout/v1/refund';
import { GetSessionResponse } from '@billing/proto/billing/checkout/v1/session';
import { Resource } from '@billing/proto/billing/export/v1/export';
import { toProtoEntry } from './balance/balance-rpc';
import type { BalanceEntryStore } from './balance/entry-store';
import { toProtoCreditNotes } from './credit-note/credit-note-message';
import type { HostedPageStore } from './hosted-page/store';
import type { InvoiceRecord } from './invoice/invoice';
import { toProtoInvoice } from './invoice/rpc';
import { shownInvoices } from './invoice/shown-invoices';
import type { CreditKind, CreditRow, CreditRowStore } from './refund/credit-row-store';
import type { PartsOf } from './refund/refund-message';
import { disputesOf, partReader, refundsOf } from './refund/refund-rpc';
import type { CheckoutLink as Link } from './sales/checkout-link';
import { toProtoCheckoutLink } from './sales/checkout-link-rpc';
import type { SessionRecord } from './sales/session';
import { toProtoSession } from './sales/session-rpc';

/** Stores of the exported resources. */
export interface ExportedStores {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly links: AggregateCollection<Link>;
  readonly rows: CreditRowStore;
  readonly entries: BalanceEntryStore;
  readonly pages: HostedPageStore;
}

// Commands that copy credit notes, refunds and disputes to the rows by which they are listed.
const copyingCommands = ['issueCreditNote', 'copyCreditRows'];

/** Scans of the exported resources. */
export function exportedResources(stores: ExportedStores): Partial<Record<Resource, Scan>> {
  const { invoices, links, entries, pages } = stores;
  return {
    [Resource.RESOURCE_CHECKOUT_LINK]: scanAggregates(links, {
      messagesOf: oneEach((stored) => toProtoCheckoutLink(stored, pages)),
      encoder: CheckoutLink,
    }),
    [Resource.RESOURCE_CHECKOUT_SESSION]: scanAggregates(stores.sessions, {
      messagesOf: (found, context) => sessionsWithInvoices(found, context, stores),
      encoder: GetSessionResponse,
    }),
    [Resource.RESOURCE_INVOICE]: scanAggregates(invoices, {
      filter: shownInvoices({}),
      messagesOf: oneEach((stored) => toProtoInvoice(stored, pages)),
      encoder: Invoice,
    }),
    [Resource.RESOURCE_CREDIT_NOTE]: scanParts('creditNotes', toProtoCreditNotes, {
      ...stores,
      encoder: CreditNote,
    }),
    [Resource.RESOURCE_REFUND]: scanParts('refunds', refundsOf, { ...stores, encoder: Refund }),
    [Resource.RESOURCE_DISPUTE]: scanParts('disputes', disputesOf, {
      ...stores,
      encoder: Dispute,
    }),
    [Resource.RESOURCE_BALANCE_ENTRY]: scanOf({
      read: (range, context, limit) => entries.scan(range, context, limit),
      positionOf: ({ createdAt, id }) => ({ at: createdAt, id }),
      rowsOf: (found) =>
        Promise.resolve(
          encodeAll(
            found.map((entry) => [toProtoEntry(entry)]),
            BalanceEntry,
          ),
        ),
    }),
  };
}

async function sessionsWithInvoices(
  found: readonly Stored<SessionRecord>[],
  context: CallContext,
  { invoices, pages }: ExportedStores,
): Promise<GetSessionResponse[][]> {
  const shown = found.flatMap(({ state, ...stored }) =>
    state.isTombstone ? [] : [toProtoSession({ ...stored, state }, pages)],
  );
  const ids = shown.flatMap(({ invoiceId }) => invoiceId ?? []);
  const stored = await invoices.within(context).findAll(ids);
  const byId = new Map(stored.map((invoice) => [invoice.state.id, invoice]));
  const bySession = new Map(
    shown.map((session) => {
      const invoice = byId.get(session.invoiceId ?? '');
      const isShown = invoice !== undefined && !invoice.state.isTombstone;
      return [
        session.id,
        { session, invoice: isShown ? toProtoInvoice(invoice, pages) : undefined },
      ];
    }),
  );
  return found.map(({ state: { id } }) => {
    const session = bySession.get(id);
    return session === undefined ? [] : [{ ...session, action: undefined, isPaying: false }];
  });
}

/** Scan of the parts of invoices that have lists of their own. */
function scanParts<M extends { readonly id: string }>(
  kind: CreditKind,
  partsOf: PartsOf<M>,
  {
    invoices,
    rows,
    encoder,
  }: Pick<ExportedStores, 'invoices' | 'rows'> & { readonly encoder: Encoder<M> },
): Scan {
  const read = partReader({ invoices, rows });
  return scanOf<CreditRow>({
    // An event of a part may be accepted before the row that lists it is copied.
    begin: (context, clock) =>
      untilDone(invoices, { 'outbox.type': { $in: copyingCommands } }, context, clock),
    read: (range, context, limit) => rows.scan(kind, range, context, limit),
    positionOf: ({ _id: id, createdAt: at }) => ({ at, id }),
    rowsOf: async (found, context) => {
      const references = found.map(({ _id: id, invoiceId }) => ({ id, invoiceId }));
      const parts = new Map(
        (await read.all(references, partsOf, context)).map((part) => [part.id, part]),
      );
      const shown = found.map(({ _id }) => parts.get(_id));
      return encodeAll(
        shown.map((part) => (part === undefined ? [] : [part])),
        encoder,
      );
    },
    end: (context, clock) => untilDone(invoices, { 'outbox.kind': 'event' }, context, clock),
  });
}
