import { Link } from 'wouter';
import { useResource } from '../../api/queries';
import { Columns } from '../../parts/chart/bars';
import { sinceFirst } from '../../parts/chart/since-first';
import { EmptyState, Figure, Figures, PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { ChoiceFilter, useFilters } from '../../parts/form/filters';
import { moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { exportedMoney } from '../../parts/text/amount';
import { moneyText, shortMoneyText } from '../../parts/text/text';
import { monthText } from '../../parts/text/time-text';
import {
  chosenPayments,
  hasPayments,
  netPaymentsOf,
  type Payments,
  type PaymentsMonth,
} from './payments-report';

const shownMonths = 13;
const longMonths = 37;
const spans = [
  [String(shownMonths), 'Last year'],
  [String(longMonths), 'Last three years'],
] as const;

/** Page of the amounts that were invoiced, paid and given back. */
export function PaymentsPage() {
  const { values, set } = useFilters(['currency', 'months']);
  const months = values.months === String(longMonths) ? longMonths : shownMonths;
  const report = useResource<{ readonly data: readonly Payments[] }>(
    '/dashboard/api/reports/payments',
    { query: { months } },
  );
  return (
    <PageLayout
      title="Payments"
      lead="Each amount counts in the month (UTC) in which it happened; the current month is incomplete. Invoices count with tax."
    >
      <Answer of={report} what="payments">
        {({ data }) => {
          const chosen = chosenPayments(data, values.currency);
          if (chosen === undefined) return <NoPayments />;
          return (
            <>
              <div className="filters">
                <ChoiceFilter
                  label="Currency"
                  hasAll={false}
                  value={chosen.currency}
                  choices={data.map(({ currency }) => [currency, currency])}
                  onChange={(currency) => {
                    set('currency', currency);
                  }}
                />
                <ChoiceFilter
                  label="Period"
                  hasAll={false}
                  value={String(months)}
                  choices={spans}
                  onChange={(count) => {
                    set('months', count);
                  }}
                />
              </div>
              <PaymentsView payments={chosen} />
            </>
          );
        }}
      </Answer>
    </PageLayout>
  );
}

function NoPayments() {
  return (
    <Panel>
      <EmptyState title="Nothing invoiced yet">
        Sums appear with the first <Link href="/invoices">invoice</Link>.
      </EmptyState>
    </Panel>
  );
}

function PaymentsView({ payments: { currency, months: all } }: { payments: Payments }) {
  const months = sinceFirst(all, hasPayments);
  const money = (amount: number | string | bigint) => moneyText(amount, currency);
  const last = months.at(-1);
  const up = (name: 'collected' | 'external') => months.map((month) => Number(month[name]));
  const down = (name: 'refunded' | 'disputesLost') =>
    months.map((month) => 0 - Number(month[name]));
  return (
    <>
      {last !== undefined && (
        <Figures>
          <Figure name="Invoiced" value={money(last.invoiced)} detail={monthText(last.month)} />
          <Figure name="Collected" value={money(last.collected)} detail="by the provider" />
          <Figure name="External" value={money(last.external)} detail="received elsewhere" />
          <Figure
            name="Net"
            value={money(netPaymentsOf(last))}
            detail="less refunds and lost disputes"
          />
        </Figures>
      )}
      <Panel title={`Money in and out in ${currency}`}>
        <Columns
          caption="Money in and out"
          times={months.map(({ month }) => month)}
          series={[
            { label: 'Collected', values: up('collected') },
            { label: 'External', values: up('external') },
            { label: 'Refunded', values: down('refunded') },
            { label: 'Disputes lost', values: down('disputesLost') },
          ]}
          format={(value) => money(Math.round(value))}
          formatShort={(value) => shortMoneyText(value, currency)}
          exported={(value) => exportedMoney(Math.round(value), currency)}
        />
      </Panel>
      <Panel title="By month">
        <DataTable
          caption={`Payments in ${currency}`}
          columns={columnsIn(currency)}
          rows={[...months].reverse()}
          rowKey={({ month }) => month}
        />
      </Panel>
    </>
  );
}

function columnsIn(currency: string): readonly Column<PaymentsMonth>[] {
  const amount = (title: string, of: (month: PaymentsMonth) => number | string | bigint) =>
    moneyColumn(title, of, () => currency);
  return [
    { title: 'Month', text: ({ month }) => month, cell: ({ month }) => monthText(month) },
    amount('Invoiced', ({ invoiced }) => invoiced),
    amount('Tax', ({ tax }) => tax),
    amount('Voided', ({ voided }) => voided),
    amount('Credited', ({ credited }) => credited),
    amount('Collected', ({ collected }) => collected),
    amount('External', ({ external }) => external),
    amount('Refunded', ({ refunded }) => refunded),
    amount('Disputes lost', ({ disputesLost }) => disputesLost),
    amount('To balances', ({ balanceIn }) => balanceIn),
    amount('From balances', ({ balanceOut }) => balanceOut),
  ];
}
