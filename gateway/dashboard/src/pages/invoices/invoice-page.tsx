import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useResource } from '../../api/queries';
import { DataTable } from '../../parts/table/data-table';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { MetadataPanel } from '../../parts/resource/metadata';
import { Answer, Notice } from '../../parts/element/notices';
import { dayText } from '../../parts/text/time-text';
import { Day, Facts, Instant, Money, ShortId, StatusBadge } from '../../parts/element/values';
import { CustomerLink } from '../../resources/customer-link';
import {
  attemptText,
  billingReasonText,
  errorText,
  type Invoice,
  invoiceName,
  type InvoicePayment,
} from '../../resources/invoice';
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
      <Panel title="Details">
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
      <ProviderReports invoiceId={invoice.id} />
      <MetadataPanel metadata={invoice.metadata} />
    </PageLayout>
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
            <Link key="subscription" href={`/subscriptions/${subscriptionId}`}>
              {subscriptionId}
            </Link>
          ),
        ],
        ['Reason', billingReasonText(invoice.billingReason)],
        [
          'Period',
          periodStart === null || periodEnd === null
            ? '–'
            : `${dayText(periodStart)} to ${dayText(periodEnd)}`,
        ],
        ['Collection', isSent ? 'Send invoice' : 'Charge automatically'],
        ['Created', <Instant key="created" at={invoice.createdAt} />],
        ['Due date', <Day key="due" at={invoice.dueDate} />],
        ['Paid on', <Instant key="paid" at={invoice.paidAt} />],
        ...(lastPaymentError === null
          ? []
          : [['Last payment error', errorText(lastPaymentError)] as const]),
        ['ID', <ShortId key="id" id={invoice.id} what="ID" />],
      ]}
    />
  );
}
