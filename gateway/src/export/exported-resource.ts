import type { z } from 'zod';
import { BalanceEntry } from '@billing/proto/billing/checkout/v1/balance';
import { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { CheckoutLink } from '@billing/proto/billing/checkout/v1/checkout_link';
import { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { Dispute, Refund } from '@billing/proto/billing/checkout/v1/refund';
import { GetSessionResponse } from '@billing/proto/billing/checkout/v1/session';
import { MeterPrice, Product } from '@billing/proto/billing/catalog/v1/catalog';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { Discount } from '@billing/proto/billing/discount/v1/discount';
import { Resource, type ScanPosition } from '@billing/proto/billing/export/v1/export';
import { CreditGrant, Meter, UsageEvent } from '@billing/proto/billing/metering/v1/metering';
import { Email } from '@billing/proto/billing/notifier/v1/mail';
import { SubscriptionChange } from '@billing/proto/billing/subscription/v1/change';
import { Subscription } from '@billing/proto/billing/subscription/v1/subscription';
import { BalanceEntryJson, toJsonBalanceEntry } from '@billing/proto/json/balance';
import { CheckoutLinkJson, toJsonCheckoutLink } from '@billing/proto/json/checkout-link';
import { SessionJson } from '@billing/proto/json/checkout-session';
import { CreditGrantJson, toJsonCreditGrant } from '@billing/proto/json/credit-grant';
import { CreditNoteJson, toJsonCreditNote } from '@billing/proto/json/credit-note/credit-note';
import {
  DisputeJson,
  RefundJson,
  toJsonDispute,
  toJsonRefund,
} from '@billing/proto/json/credit-note/refund';
import { CustomerJson, toJsonCustomer } from '@billing/proto/json/customer';
import { DiscountJson, toJsonDiscount } from '@billing/proto/json/discount';
import { EmailJson, toJsonEmail } from '@billing/proto/json/email';
import { InvoiceJson, LineItemJson, PaymentJson, toJsonInvoice } from '@billing/proto/json/invoice';
import { MeterJson, toJsonMeter } from '@billing/proto/json/meter';
import {
  MeterPriceJson,
  ProductJson,
  toJsonMeterPrice,
  toJsonProduct,
} from '@billing/proto/json/product';
import { SubscriptionJson, toJsonSubscription } from '@billing/proto/json/subscription';
import {
  SubscriptionChangeJson,
  toJsonSubscriptionChange,
} from '@billing/proto/json/subscription-change';
import { UsageEventJson, toJsonUsageEvent } from '@billing/proto/json/usage/usage-event';
import { WebhookEventJson } from '@billing/proto/json/webhook/webhook-event';
import type { ExportedName } from '@billing/kernel/input/export';
import type { ScannedService } from '../peer/resource-scans';
import { readSessions } from './read-sessions';
import { webhookEventPages } from './read-webhook-events';
import {
  attempted,
  type ExportContext,
  type ExportRange,
  pagesOf,
  type ReadPage,
  scanRequest,
} from './resource-pages';
import type { Row } from './row-format';

/** A resource that can be exported. */
export interface ExportedResource {
  readonly name: ExportedName;
  /** First path segment of the route that shows the resource, which names its scope. */
  readonly segment: string;
  /** Fields of a row, in order. */
  readonly fields: readonly string[];
  /** Reads all rows in a range of times, in pages. */
  readonly pages: (range: ExportRange, exported: ExportContext) => AsyncIterable<readonly Row[]>;
}

interface Decoder<M> {
  readonly decode: (bytes: Uint8Array) => M;
}

/** A resource that its owner scans. */
interface ScannedResource<M> {
  readonly name: ExportedName;
  readonly segment: string;
  readonly schema: z.ZodObject;
  readonly owner: ScannedService;
  readonly resource: Resource;
  readonly message: Decoder<M>;
  /** Rows of some messages. */
  readonly rowsOf: (
    messages: readonly M[],
    exported: Pick<ExportContext, 'peers' | 'context'>,
  ) => readonly Row[] | Promise<readonly Row[]>;
}

function scanned<M>({
  name,
  segment,
  schema,
  owner,
  resource,
  message,
  rowsOf,
}: ScannedResource<M>): ExportedResource {
  return {
    name,
    segment,
    fields: Object.keys(schema.shape),
    pages: (range, exported) => {
      const { peers } = exported;
      const read: ReadPage<ScanPosition> = async (after, context) => {
        const page = await peers.scans.scan(owner, scanRequest(resource, range, after), context);
        const messages = page.rows.map((bytes) => message.decode(bytes));
        return { rows: await rowsOf(messages, { peers, context }), next: page.next };
      };
      return pagesOf(read, exported);
    },
  };
}

/** Rows with one message each. */
function each<M>(toJson: (message: M) => Row): ScannedResource<M>['rowsOf'] {
  return (messages) => messages.map(toJson);
}

const ofInvoices = {
  segment: 'invoices',
  owner: 'checkout',
  resource: Resource.RESOURCE_INVOICE,
  message: Invoice,
} as const;

/** All resources that can be exported, in the order of an archive. */
export const exportedResources: readonly ExportedResource[] = [
  scanned({
    name: 'customers',
    segment: 'customers',
    schema: CustomerJson,
    owner: 'customer',
    resource: Resource.RESOURCE_CUSTOMER,
    message: Customer,
    rowsOf: each(toJsonCustomer),
  }),
  scanned({
    name: 'products',
    segment: 'products',
    schema: ProductJson,
    owner: 'catalog',
    resource: Resource.RESOURCE_PRODUCT,
    message: Product,
    rowsOf: each(toJsonProduct),
  }),
  scanned({
    name: 'meter-prices',
    segment: 'products',
    schema: MeterPriceJson,
    owner: 'catalog',
    resource: Resource.RESOURCE_METER_PRICE,
    message: MeterPrice,
    rowsOf: each(toJsonMeterPrice),
  }),
  scanned({
    name: 'discounts',
    segment: 'discounts',
    schema: DiscountJson,
    owner: 'discount',
    resource: Resource.RESOURCE_DISCOUNT,
    message: Discount,
    rowsOf: each(toJsonDiscount),
  }),
  scanned({
    name: 'checkout-links',
    segment: 'checkout-links',
    schema: CheckoutLinkJson,
    owner: 'checkout',
    resource: Resource.RESOURCE_CHECKOUT_LINK,
    message: CheckoutLink,
    rowsOf: each(toJsonCheckoutLink),
  }),
  scanned({
    name: 'checkout-sessions',
    segment: 'checkout',
    schema: SessionJson,
    owner: 'checkout',
    resource: Resource.RESOURCE_CHECKOUT_SESSION,
    message: GetSessionResponse,
    rowsOf: (found, { peers, context }) => readSessions(found, peers, context),
  }),
  scanned({
    name: 'subscriptions',
    segment: 'subscriptions',
    schema: SubscriptionJson,
    owner: 'subscription',
    resource: Resource.RESOURCE_SUBSCRIPTION,
    message: Subscription,
    rowsOf: each(toJsonSubscription),
  }),
  scanned({
    name: 'changes',
    segment: 'subscriptions',
    schema: SubscriptionChangeJson,
    owner: 'subscription',
    resource: Resource.RESOURCE_CHANGE,
    message: SubscriptionChange,
    rowsOf: each(toJsonSubscriptionChange),
  }),
  scanned({
    ...ofInvoices,
    name: 'invoices',
    schema: InvoiceJson,
    rowsOf: each(toJsonInvoice),
  }),
  scanned({
    ...ofInvoices,
    name: 'invoice-lines',
    schema: LineItemJson,
    rowsOf: (invoices) => invoices.flatMap((invoice) => toJsonInvoice(invoice).lineItems),
  }),
  scanned({
    ...ofInvoices,
    name: 'payments',
    schema: PaymentJson,
    rowsOf: (invoices) => invoices.flatMap((invoice) => toJsonInvoice(invoice).payments),
  }),
  scanned({
    name: 'credit-notes',
    segment: 'credit-notes',
    schema: CreditNoteJson,
    owner: 'checkout',
    resource: Resource.RESOURCE_CREDIT_NOTE,
    message: CreditNote,
    rowsOf: each(toJsonCreditNote),
  }),
  scanned({
    name: 'refunds',
    segment: 'refunds',
    schema: RefundJson,
    owner: 'checkout',
    resource: Resource.RESOURCE_REFUND,
    message: Refund,
    rowsOf: each(toJsonRefund),
  }),
  scanned({
    name: 'disputes',
    segment: 'disputes',
    schema: DisputeJson,
    owner: 'checkout',
    resource: Resource.RESOURCE_DISPUTE,
    message: Dispute,
    rowsOf: each(toJsonDispute),
  }),
  scanned({
    name: 'balance-entries',
    segment: 'balance-entries',
    schema: BalanceEntryJson,
    owner: 'checkout',
    resource: Resource.RESOURCE_BALANCE_ENTRY,
    message: BalanceEntry,
    rowsOf: each(toJsonBalanceEntry),
  }),
  scanned({
    name: 'meters',
    segment: 'meters',
    schema: MeterJson,
    owner: 'metering',
    resource: Resource.RESOURCE_METER,
    message: Meter,
    rowsOf: each(toJsonMeter),
  }),
  scanned({
    name: 'usage-events',
    segment: 'events',
    schema: UsageEventJson,
    owner: 'metering',
    resource: Resource.RESOURCE_USAGE_EVENT,
    message: UsageEvent,
    rowsOf: each(toJsonUsageEvent),
  }),
  scanned({
    name: 'meter-credits',
    segment: 'customers',
    schema: CreditGrantJson,
    owner: 'metering',
    resource: Resource.RESOURCE_CREDIT_GRANT,
    message: CreditGrant,
    rowsOf: each(toJsonCreditGrant),
  }),
  {
    name: 'webhook-events',
    segment: 'webhook-events',
    fields: Object.keys(WebhookEventJson.shape),
    pages: webhookEventPages,
  },
  scanned({
    name: 'emails',
    segment: 'emails',
    schema: EmailJson,
    owner: 'notifier',
    resource: Resource.RESOURCE_EMAIL,
    message: Email,
    rowsOf: each(toJsonEmail),
  }),
];

/** Cursor of the newest event of the feed. */
export async function newestPosition(
  { webhookFeed }: ExportContext['peers'],
  context: ExportContext['context'],
): Promise<string> {
  const asked = { after: undefined, limit: 1, types: [], waitMs: 0 };
  return (await webhookFeed.listWebhookEvents(asked, context)).newest;
}

/** Cursor of the newest event once all that is logged is accepted. */
export function settledPosition(exported: ExportContext): Promise<string> {
  const { webhookFeed } = exported.peers;
  return attempted(
    async (context) => (await webhookFeed.settleWebhookEvents({}, context)).newest,
    exported,
  );
}
