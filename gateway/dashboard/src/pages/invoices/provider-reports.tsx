import type { toJsonProviderReport } from '@billing/gateway/dashboard/provider-report-routes';
import { useResource } from '../../api/queries';
import { instantColumn, moneyColumn } from '../../parts/columns';
import { type Column, DataTable } from '../../parts/data-table';
import { Panel } from '../../parts/layout';
import { Answer } from '../../parts/notices';
import { wordsText } from '../../parts/text';

type ProviderReport = ReturnType<typeof toJsonProviderReport>;

const kindTexts: Readonly<Record<string, string>> = {
  REFUND: 'Refund',
  DISPUTE: 'Dispute',
  CONTRADICTION: 'Payment not in the books',
};

const columns: readonly Column<ProviderReport>[] = [
  instantColumn('Received', ({ receivedAt }) => receivedAt),
  { title: 'Report', text: ({ kind }) => kindTexts[kind] ?? wordsText(kind) },
  moneyColumn(
    'Amount',
    ({ amount }) => amount,
    ({ currency }) => currency,
  ),
  { title: 'Provider’s status', text: ({ status }) => status.replaceAll('_', ' ') },
  {
    title: 'Provider’s id',
    text: ({ providerPaymentId }) => providerPaymentId,
    cell: ({ providerPaymentId }) => <code>{providerPaymentId}</code>,
  },
];

/** Refunds and disputes of an invoice; shows nothing where the provider reported none. */
export function ProviderReports({ invoiceId }: { invoiceId: string }) {
  const answer = useResource<{ readonly data: readonly ProviderReport[] }>(
    '/dashboard/api/provider-reports',
    { query: { invoiceId } },
  );
  // Most invoices have none: the panel appears only once there is something to show.
  const isEmpty = answer.data === undefined || answer.data.data.length === 0;
  if (isEmpty && answer.error === null) return null;
  return (
    <Panel title="Reported by the payment provider">
      <Answer of={answer} what="provider reports">
        {({ data }) => (
          <>
            <p>Status and amounts of the invoice do not follow these reports.</p>
            <DataTable
              caption="Reported by the payment provider"
              columns={columns}
              rows={data}
              rowKey={({ id }) => id}
            />
          </>
        )}
      </Answer>
    </Panel>
  );
}
