import { Link } from 'wouter';
import { useResource } from '../../api/queries';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { ChoiceFilter, useFilters } from '../../parts/form/filters';
import { countColumn, moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { useNow } from '../../resources/environment-time';
import { taxPeriods, type TaxReportRow, taxReasonText } from './tax-report';

/** Taxes of a month, a quarter or a year. */
export function TaxReportPage() {
  const now = new Date(useNow());
  const { values, set } = useFilters(['period']);
  const periods = taxPeriods(now);
  const chosen = periods.find(({ name }) => name === values.period) ?? periods[0];
  const report = useResource<readonly TaxReportRow[]>('/v1/tax-report', {
    query: { from: chosen.from, to: chosen.to },
  });
  return (
    <PageLayout
      title="Tax report"
      lead="Invoices count on the day (UTC) on which they became final, less credit notes on their day and voided invoices on the day of their void."
    >
      <div className="filters">
        <ChoiceFilter
          label="Period"
          hasAll={false}
          value={chosen.name}
          choices={periods.map(({ name, label }) => [name, label])}
          onChange={(name) => {
            set('period', name);
          }}
        />
      </div>
      <Answer of={report} what="tax report">
        {(rows) => (
          <Panel title={chosen.label}>
            {rows.length === 0 ? (
              <EmptyState title="No taxed documents">
                Taxes appear with the first invoice after they are switched on in{' '}
                <Link href="/settings/tax">Tax</Link>.
              </EmptyState>
            ) : (
              <DataTable
                caption={`Tax report ${chosen.name}`}
                columns={columns}
                rows={rows}
                rowKey={rowKeyOf}
              />
            )}
          </Panel>
        )}
      </Answer>
    </PageLayout>
  );
}

const columns: readonly Column<TaxReportRow>[] = [
  { title: 'Currency', text: ({ currency }) => currency },
  {
    title: 'Place',
    text: ({ country, state }) => (state === null ? country : `${country}, ${state}`),
  },
  { title: 'Reason', text: ({ reason }) => taxReasonText(reason) },
  { title: 'Name', text: ({ name }) => name ?? '–' },
  { title: 'Percent', align: 'end', text: ({ percent }) => percent },
  moneyColumn(
    'Base',
    ({ base }) => base,
    ({ currency }) => currency,
  ),
  moneyColumn(
    'Tax',
    ({ tax }) => tax,
    ({ currency }) => currency,
  ),
  countColumn('Invoices', ({ invoices }) => invoices),
  countColumn('Credit notes', ({ creditNotes }) => creditNotes),
];

function rowKeyOf({ currency, country, state, reason, name, percent }: TaxReportRow): string {
  return [currency, country, state, reason, name, percent].join(' ');
}
