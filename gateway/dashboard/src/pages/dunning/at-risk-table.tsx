import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { CopyButton } from '../../parts/element/buttons';
import { EmptyState, Panel } from '../../parts/element/layout';
import { Day, Instant } from '../../parts/element/values';
import { ChoiceFilter, Filters, useFilters } from '../../parts/form/filters';
import { ConfirmButton } from '../../parts/overlay/dialog';
import { countColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { moneyText } from '../../parts/text/text';
import { customerName } from '../../resources/customer';
import {
  attemptText,
  chargeRefusal,
  type Invoice,
  invoiceName,
  errorText,
  voidRefusal,
} from '../../resources/invoice/invoice';
import { useInvoiceBulk } from '../../resources/invoice/invoice-bulk';
import { MarkUncollectibleButton } from '../../resources/invoice/write-off';
import {
  type InvoiceAtRisk,
  laterText,
  notScheduledText,
} from '../../resources/invoice/retry-schedule';

const kinds = [
  ['PAYMENT_FAILED', 'Payment failed'],
  ['OVERDUE', 'Overdue'],
] as const;

const columns: readonly Column<InvoiceAtRisk>[] = [
  {
    title: 'Invoice',
    text: ({ invoice }) => invoiceName(invoice),
    cell: ({ invoice }) => (
      <Link className="number" href={`/invoices/${invoice.id}`}>
        {invoiceName(invoice)}
      </Link>
    ),
  },
  {
    title: 'Customer',
    text: nameOf,
    cell: (risk) => <Link href={`/customers/${risk.invoice.customerId}`}>{nameOf(risk)}</Link>,
  },
  moneyColumn(
    'Amount due',
    ({ invoice }) => invoice.amountDue,
    ({ invoice }) => invoice.currency,
  ),
  countColumn('Failures', ({ failures }) => failures),
  {
    title: 'Reason',
    text: ({ invoice }) => riskText(invoice),
    cell: ({ invoice }) => (
      <>
        {riskText(invoice)}
        <div className="faint">
          <Day at={invoice.lastPaymentError?.at ?? invoice.dueDate} />
        </div>
      </>
    ),
  },
  {
    title: 'Next charge',
    text: ({ nextAttemptAt }) => nextAttemptAt ?? '',
    cell: (collection) =>
      collection.nextAttemptAt === null ? (
        <span className="faint">{notScheduledText(collection)}</span>
      ) : (
        <>
          <Instant at={collection.nextAttemptAt} />
          <div className="faint">{laterText(collection)}</div>
        </>
      ),
  },
  {
    title: 'Actions',
    text: ({ invoice }) => invoice.hostedUrl ?? '',
    cell: ({ invoice }) => <InvoiceRowActions invoice={invoice} />,
  },
];

/** Open invoices whose charge failed, and overdue ones. */
export function AtRiskTable() {
  const filters = useFilters(['kind']);
  const bulk = useInvoiceBulk<InvoiceAtRisk>(({ invoice }) => invoice);
  return (
    <Panel title="Invoices at risk">
      <Filters state={filters}>
        <ChoiceFilter label="Reason" choices={kinds} {...filters.field('kind')} />
      </Filters>
      <ResourceTable<InvoiceAtRisk>
        caption="Invoices at risk"
        path="/dashboard/api/invoices-at-risk"
        query={filters.values}
        columns={columns}
        rowKey={({ id }) => id}
        hasOrder
        bulk={bulk}
        empty={
          <EmptyState title="No invoices at risk">
            Open invoices appear here after a failed charge or their due date.
          </EmptyState>
        }
      />
    </Panel>
  );
}

function InvoiceRowActions({ invoice }: { invoice: Invoice }) {
  const refusal = useRefusal('invoices');
  const { id, amountDue, currency, hostedUrl } = invoice;
  const charge = useAction<object, Invoice>(
    (body) => ({ method: 'POST', path: `/v1/invoices/${id}/pay`, body }),
    ({ payments }) => {
      const attempt = payments.at(-1);
      const text = attempt === undefined ? 'Not charged' : attemptText(attempt);
      return { text: `${invoiceName(invoice)}: ${text}`, href: `/invoices/${id}` };
    },
  );
  const end = useAction(
    () => ({ method: 'POST', path: `/v1/invoices/${id}/void`, body: {} }),
    `${invoiceName(invoice)} voided`,
  );
  return (
    <div className="actions stacked">
      <ConfirmButton
        label="Charge now"
        title={`Charge ${invoiceName(invoice)}?`}
        confirm={`Charge ${moneyText(amountDue, currency)}`}
        tone="main"
        refusal={refusal ?? chargeRefusal(invoice)}
        onConfirm={() => charge.mutateAsync({})}
      >
        <p>Charges the card once. Scheduled retries stay as they are.</p>
      </ConfirmButton>
      <MarkUncollectibleButton {...{ invoice, refusal }} />
      <ConfirmButton
        label="Void"
        title={`Void ${invoiceName(invoice)}?`}
        confirm="Void invoice"
        refusal={refusal ?? voidRefusal(invoice)}
        onConfirm={() => end.mutateAsync({})}
      >
        <p>The customer no longer owes {moneyText(amountDue, currency)}. This can’t be undone.</p>
      </ConfirmButton>
      {hostedUrl !== null && (
        <CopyButton text={hostedUrl} label="Copy payment link" what={invoiceName(invoice)} />
      )}
    </div>
  );
}

function nameOf({ customer, invoice }: InvoiceAtRisk): string {
  return customer === null ? invoice.customerId : customerName(customer);
}

function riskText({ lastPaymentError }: Invoice): string {
  return lastPaymentError === null ? 'Overdue' : errorText(lastPaymentError.code);
}
