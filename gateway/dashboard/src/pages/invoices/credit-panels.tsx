import type { Page } from '../../api/client';
import { useResource } from '../../api/queries';
import { Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { type Column, DataTable } from '../../parts/table/data-table';
import type { CreditNote, Dispute, Refund } from '../../resources/credit/credit-note';
import { creditNoteColumns } from '../../resources/credit/credit-note-table';
import { disputeColumns } from '../../resources/credit/dispute-table';
import type { Invoice } from '../../resources/invoice/invoice';
import { refundColumns } from '../../resources/credit/refund-table';

/** Credit notes, refunds and disputes of an invoice; each hidden if there are none. */
export function CreditPanels({ invoice }: { invoice: Invoice }) {
  const { id, creditNoteIds, amountRefunded, payments } = invoice;
  const isCredited = creditNoteIds.length > 0;
  const isDisputed = payments.some(({ disputeId }) => disputeId !== null);
  return (
    <>
      {isCredited && (
        <ListPanel<CreditNote>
          title="Credit notes"
          path="/v1/credit-notes"
          invoiceId={id}
          columns={creditNoteColumns}
        />
      )}
      {(isCredited || amountRefunded > 0) && (
        <ListPanel<Refund>
          title="Refunds"
          path="/v1/refunds"
          invoiceId={id}
          columns={refundColumns}
        />
      )}
      {isDisputed && (
        <ListPanel<Dispute>
          title="Disputes"
          path="/v1/disputes"
          invoiceId={id}
          columns={disputeColumns}
        />
      )}
    </>
  );
}

/** Rows of an invoice, which has at most 100 of each kind; hidden if there are none. */
function ListPanel<Row extends { readonly id: string }>({
  title,
  path,
  invoiceId,
  columns,
}: {
  title: string;
  path: string;
  invoiceId: string;
  columns: readonly Column<Row>[];
}) {
  const answer = useResource<Page<Row>>(path, { query: { invoiceId, perPage: 100 } });
  if (answer.data?.data.length === 0) return null;
  return (
    <Panel title={title}>
      <Answer of={answer} what={title.toLowerCase()}>
        {({ data }) => (
          <DataTable caption={title} columns={columns} rows={data} rowKey={({ id }) => id} />
        )}
      </Answer>
    </Panel>
  );
}
