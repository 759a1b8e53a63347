import type { toJsonProviderReport } from '@billing/gateway/operator/provider-report-routes';
import { useResource } from '../../api/queries';
import { instantColumn, moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { wordsText } from '../../parts/text/text';

type ProviderReport = ReturnType<typeof toJsonProviderReport>;

const kindTexts: Readonly<Record<string, string>> = {
  REFUND: 'Refund',
  DISPUTE: 'Dispute',
  CONTRADICTION: 'Unrecorded payment',
};

const columns: readonly Column<ProviderReport>[] = [
  instantColumn('Received', ({ receivedAt }) => receivedAt),
  { title: 'Report', text: ({ kind }) => kindTexts[kind] ?? wordsText(kind) },
  moneyColumn(
    'Amount',
    ({ amount }) => amount,
    ({ currency }) => currency,
  ),
  { title: 'Provider status', text: ({ status }) => status.replaceAll('_', ' ') },
  {
    title: 'Provider ID',
    text: ({ providerPaymentId }) => providerPaymentId,
    cell: ({ providerPaymentId }) => <code>{providerPaymentId}</code>,
  },
];

/** Refunds and disputes of an invoice; hidden if the provider reported none. */
export function ProviderReports({ invoiceId }: { invoiceId: string }) {
  const answer = useResource<{ readonly data: readonly ProviderReport[] }>(
    '/dashboard/api/provider-reports',
    { query: { invoiceId } },
  );
  // Most invoices have no reports, so the panel appears only when there is one.
  const isEmpty = answer.data === undefined || answer.data.data.length === 0;
  if (isEmpty && answer.error === null) return null;
  return (
    <Panel title="Provider reports">
      <Answer of={answer} what="provider reports">
        {({ data }) => (
          <>
            <p>Reported by the payment provider. These reports do not change the invoice.</p>
            <DataTable
              caption="Provider reports"
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
