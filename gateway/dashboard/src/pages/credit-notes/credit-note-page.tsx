import { useResource } from '../../api/queries';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Facts, Instant, Money, ShortId } from '../../parts/element/values';
import { MetadataPanel } from '../../parts/resource/metadata';
import { moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { moneyText } from '../../parts/text/text';
import { AuditLink } from '../../resources/audit/audit-link';
import {
  type CreditNote,
  creditNoteName,
  creditReasonText,
  splitText,
} from '../../resources/credit/credit-note';
import { CustomerLink } from '../../resources/customer-link';
import { InvoiceLink } from '../../resources/invoice/invoice-link';
import { EInvoiceButton } from '../../resources/invoice/e-invoice-button';
import { PdfButton } from '../../resources/invoice/pdf-button';
import { refundColumns } from '../../resources/credit/refund-table';

/** Page of one credit note: details, lines and refunds. */
export function CreditNotePage({ id = '' }: { readonly id?: string }) {
  const answer = useResource<CreditNote>(`/v1/credit-notes/${id}`);
  return (
    <Answer of={answer} what="credit note">
      {(note) => <CreditNoteView note={note} />}
    </Answer>
  );
}

function CreditNoteView({ note }: { note: CreditNote }) {
  const { id, currency, total, refunds } = note;
  return (
    <PageLayout
      title={creditNoteName(note)}
      lead={<Money amount={total} currency={currency} />}
      back={{ href: '/credit-notes', label: 'Credit notes' }}
      actions={
        <>
          <PdfButton path={`/v1/credit-notes/${id}/pdf`} name={creditNoteName(note)} />
          {note.taxes.length > 0 && (
            <EInvoiceButton path={`/v1/credit-notes/${id}`} name={creditNoteName(note)} />
          )}
        </>
      }
    >
      <Panel title="Details" actions={<AuditLink id={note.id} />}>
        <Facts
          facts={[
            ['Customer', <CustomerLink key="customer" id={note.customerId} />],
            ['Invoice', <InvoiceLink key="invoice" id={note.invoiceId} />],
            ['Reason', creditReasonText(note.reason)],
            ['Where it went', splitText(note)],
            ...(note.memo === null ? [] : [['Memo', note.memo] as const]),
            ['Issued', <Instant key="issued" at={note.issuedAt} />],
            ['ID', <ShortId key="id" id={id} what="ID" />],
          ]}
        />
      </Panel>
      <Panel title="Credited lines">
        <DataTable
          caption="Credited lines"
          columns={lineColumnsIn(currency)}
          rows={note.lines}
          rowKey={(line) => line.id}
        />
        <CreditSums note={note} />
      </Panel>
      <Panel title="Refunds">
        {refunds.length === 0 ? (
          <EmptyState title="No refunds">Nothing of this credit note is refunded.</EmptyState>
        ) : (
          <DataTable
            caption="Refunds"
            columns={refundColumns}
            rows={refunds}
            rowKey={(refund) => refund.id}
          />
        )}
      </Panel>
      <MetadataPanel metadata={note.metadata} />
    </PageLayout>
  );
}

function lineColumnsIn(currency: string): readonly Column<CreditNote['lines'][number]>[] {
  return [
    { title: 'Description', text: ({ description }) => description },
    moneyColumn(
      'Net',
      ({ amount }) => amount,
      () => currency,
    ),
    moneyColumn(
      'Tax',
      ({ taxAmount }) => taxAmount,
      () => currency,
    ),
    moneyColumn(
      'Total',
      (line) => line.total,
      () => currency,
    ),
  ];
}

function CreditSums({ note: { currency, subtotal, tax, total } }: { note: CreditNote }) {
  const sums = [
    ['Subtotal', subtotal],
    ['Tax', tax],
    ['Total', total],
  ] as const;
  return (
    <dl className="sums">
      {sums.map(([name, amount]) => (
        <div key={name} className={name === 'Total' ? 'sum-total' : undefined}>
          <dt>{name}</dt>
          <dd className="number">{moneyText(amount, currency)}</dd>
        </div>
      ))}
    </dl>
  );
}
