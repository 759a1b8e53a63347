import { type ReactNode, useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useResource } from '../../api/queries';
import { DataTable } from '../../parts/table/data-table';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { MetadataPanel } from '../../parts/resource/metadata';
import { Answer, Notice } from '../../parts/element/notices';
import { coveredDaysText } from '../../parts/text/time-text';
import { AuditLink } from '../../resources/audit/audit-link';
import { countryText } from '../../resources/address';
import { Day, Facts, Instant, Money, ShortId, StatusBadge } from '../../parts/element/values';
import { NameSkeleton } from '../../parts/element/skeleton';
import { CustomerLink } from '../../resources/customer-link';
import { SubscriptionLink } from '../../resources/product-links';
import { EmailPanel } from '../../resources/email/email-panel';
import {
  attemptText,
  billingReasonText,
  errorText,
  type Invoice,
  invoiceName,
  type InvoicePayment,
} from '../../resources/invoice/invoice';
import {
  type InvoiceCollection,
  laterText,
  notScheduledText,
} from '../../resources/invoice/retry-schedule';
import { CreditPanels } from './credit-panels';
import { InvoiceActions } from './invoice-actions';
import { InvoiceLines } from './invoice-lines';
import { paymentColumns } from './payment-columns';
import { ProviderReports } from './provider-reports';

/** Page of one invoice: details, line items and payments. */
export function InvoicePage({ id = '' }: { readonly id?: string }) {
  const answer = useResource<Invoice>(`/v1/invoices/${id}`);
  return (
    <Answer of={answer} what="invoice">
      {(invoice) => <InvoiceView invoice={invoice} />}
    </Answer>
  );
}

function InvoiceView({ invoice }: { invoice: Invoice }) {
  const refusal = useRefusal('invoices');
  const [attempt, setAttempt] = useState<InvoicePayment>();
  const { currency, payments } = invoice;
  return (
    <PageLayout
      title={invoiceName(invoice)}
      lead={
        <>
          <StatusBadge status={invoice.status} />{' '}
          <Money amount={invoice.total} currency={currency} />
        </>
      }
      back={{ href: '/invoices', label: 'Invoices' }}
      actions={<InvoiceActions {...{ invoice, refusal }} onCharged={setAttempt} />}
    >
      {attempt !== undefined && (
        <Notice tone={attempt.status === 'SUCCEEDED' ? 'good' : 'wait'}>
          {attemptText(attempt)}
        </Notice>
      )}
      <Panel title="Details" actions={<AuditLink id={invoice.id} />}>
        <InvoiceFacts invoice={invoice} />
      </Panel>
      <Panel title="Line items">
        <InvoiceLines invoice={invoice} />
      </Panel>
      <Panel title="Payments">
        {payments.length === 0 ? (
          <EmptyState title="No payments">
            {invoice.amountDue === 0
              ? 'Nothing is due.'
              : 'Charges and payments on the hosted page appear here.'}
          </EmptyState>
        ) : (
          <DataTable
            caption="Payments"
            columns={paymentColumns}
            rows={payments}
            rowKey={({ id }) => id}
          />
        )}
      </Panel>
      <EmailPanel query={{ invoiceId: invoice.id }} />
      <CreditPanels invoice={invoice} />
      <ProviderReports invoiceId={invoice.id} />
      <MetadataPanel metadata={invoice.metadata} />
    </PageLayout>
  );
}

/** Seller and buyer as the invoice names them; none while the seller has no legal name. */
function partyFacts({
  seller,
  buyer,
  taxStatus,
  finalizedAt,
}: Invoice): (readonly [string, ReactNode])[] {
  return [
    ...(seller === null ? [] : [['Seller', partyText(seller.legalName, seller)] as const]),
    ...(buyer === null
      ? []
      : [['Buyer', partyText(buyer.name ?? buyer.email ?? '–', buyer)] as const]),
    ...(taxStatus === 'ESTIMATED' ? [['Taxes', 'Estimated until finalized'] as const] : []),
    ...(finalizedAt === null
      ? []
      : [['Finalized', <Instant key="finalized" at={finalizedAt} />] as const]),
  ];
}

function partyText(
  name: string,
  { address, taxIds }: Pick<NonNullable<Invoice['buyer']>, 'address' | 'taxIds'>,
): string {
  const country = address?.country ?? null;
  const parts = [name, country && countryText(country), ...taxIds.map(({ value }) => value)];
  return parts.filter((part) => part !== null).join(', ');
}

/** Date of the next automatic charge of an open invoice. */
function NextCharge({ id }: { id: string }) {
  const path = `/dashboard/api/invoices/${id}/collection`;
  const { data: collection, error } = useResource<InvoiceCollection>(path);
  if (error !== null) return <span className="faint">Could not be loaded</span>;
  if (collection === undefined) return <NameSkeleton />;
  if (collection.nextAttemptAt === null) return notScheduledText(collection);
  const later = laterText(collection);
  return (
    <>
      <Instant at={collection.nextAttemptAt} />
      {later !== undefined && <div className="faint">{later}</div>}
    </>
  );
}

function LastError({ error: { code, at } }: { error: NonNullable<Invoice['lastPaymentError']> }) {
  return (
    <>
      {errorText(code)}
      <div className="faint">
        <Instant at={at} />
      </div>
    </>
  );
}

function InvoiceFacts({ invoice }: { invoice: Invoice }) {
  const { subscriptionId, periodStart, periodEnd, collectionMethod, lastPaymentError } = invoice;
  const isSent = collectionMethod === 'SEND_INVOICE';
  return (
    <Facts
      facts={[
        ['Customer', <CustomerLink key="customer" id={invoice.customerId} />],
        [
          'Subscription',
          subscriptionId === null ? (
            '–'
          ) : (
            <SubscriptionLink key="subscription" id={subscriptionId} />
          ),
        ],
        ['Reason', billingReasonText(invoice.billingReason)],
        [
          'Period',
          periodStart === null || periodEnd === null
            ? '–'
            : coveredDaysText(periodStart, periodEnd),
        ],
        ['Collection', isSent ? 'Send invoice' : 'Charge automatically'],
        ['Created', <Instant key="created" at={invoice.createdAt} />],
        ...partyFacts(invoice),
        ['Due date', <Day key="due" at={invoice.dueDate} />],
        ['Paid on', <Instant key="paid" at={invoice.paidAt} />],
        ...(invoice.status === 'OPEN'
          ? [['Next charge', <NextCharge key="next" id={invoice.id} />] as const]
          : []),
        ...(invoice.purchaseOrder === null
          ? []
          : [['Purchase order', invoice.purchaseOrder] as const]),
        ...(invoice.memo === null ? [] : [['Memo', invoice.memo] as const]),
        ...(lastPaymentError === null
          ? []
          : [['Last payment error', <LastError key="error" error={lastPaymentError} />] as const]),
        ['ID', <ShortId key="id" id={invoice.id} what="ID" />],
      ]}
    />
  );
}
