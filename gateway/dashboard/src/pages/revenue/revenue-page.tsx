import { Link } from 'wouter';
import { useResource } from '../../api/queries';
import { Columns } from '../../parts/chart/bars';
import { exportedMoney } from '../../parts/text/amount';
import { countColumn, moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { ChoiceFilter, useFilters } from '../../parts/form/filters';
import { EmptyState, Figure, Figures, PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { sinceFirst } from '../../parts/chart/since-first';
import { countText, moneyText, shortMoneyText } from '../../parts/text/text';
import { monthText } from '../../parts/text/time-text';
import { chosenRevenue, movementsOf, netOf, type Revenue, type RevenueMonth } from './revenue';

const shownMonths = 13;
const longMonths = 37;
const spans = [
  [String(shownMonths), 'Last year'],
  [String(longMonths), 'Last three years'],
] as const;

/** Movements of the recurring revenue. */
export function RevenuePage() {
  const { values, set } = useFilters(['currency', 'months']);
  const months = values.months === String(longMonths) ? longMonths : shownMonths;
  const report = useResource<{ readonly data: readonly Revenue[] }>(
    '/dashboard/api/reports/revenue',
    { query: { months } },
  );
  return (
    <PageLayout
      title="Revenue"
      lead="MRR before discounts, without trials. Months are in UTC, and the current month is incomplete. A pause counts as churn, and its end as a reactivation. A backdated subscription counts from its start or the end of its trial."
    >
      <Answer of={report} what="revenue">
        {({ data }) => {
          const chosen = chosenRevenue(data, values.currency);
          if (chosen === undefined) return <NoRevenue />;
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
              <RevenueView revenue={chosen} />
            </>
          );
        }}
      </Answer>
    </PageLayout>
  );
}

function NoRevenue() {
  return (
    <Panel>
      <EmptyState title="No revenue yet">
        MRR appears with the first billed <Link href="/subscriptions">subscription</Link>.
      </EmptyState>
    </Panel>
  );
}

function RevenueView({ revenue: { currency, months: all } }: { revenue: Revenue }) {
  const months = sinceFirst(all, hasRevenue);
  const money = (amount: number | string | bigint) => moneyText(amount, currency);
  const last = months.at(-1);
  return (
    <>
      {last !== undefined && <MonthFigures month={last} money={money} />}
      <Panel title={`MRR movements in ${currency}`}>
        <Columns
          caption="MRR movements"
          times={months.map(({ month }) => month)}
          series={movementsOf(months)}
          format={(value) => money(Math.round(value))}
          formatShort={(value) => shortMoneyText(value, currency)}
          exported={(value) => exportedMoney(Math.round(value), currency)}
        />
      </Panel>
      <Panel title="By month">
        <DataTable
          caption={`Revenue in ${currency}`}
          columns={columnsIn(currency)}
          rows={[...months].reverse()}
          rowKey={({ month }) => month}
        />
      </Panel>
    </>
  );
}

function hasRevenue({ mrr, started, ended }: RevenueMonth): boolean {
  return Number(mrr) !== 0 || started > 0 || ended > 0;
}

type MoneyText = (amount: number | string | bigint) => string;

function MonthFigures({ month, money }: { month: RevenueMonth; money: MoneyText }) {
  return (
    <Figures>
      <Figure name="Current MRR" value={money(month.mrr)} />
      <Figure name="Net" value={money(netOf(month))} detail={`in ${monthText(month.month)}`} />
      <Figure
        name="Started"
        value={countText(month.started)}
        detail={`${money(month.new)} new MRR`}
      />
      <Figure
        name="Ended"
        value={countText(month.ended)}
        detail={`${money(month.churned)} churned MRR`}
      />
    </Figures>
  );
}

function columnsIn(currency: string): readonly Column<RevenueMonth>[] {
  const amount = (title: string, of: (month: RevenueMonth) => number | string | bigint) =>
    moneyColumn(title, of, () => currency);
  return [
    { title: 'Month', text: ({ month }) => month, cell: ({ month }) => monthText(month) },
    amount('New', (month) => month.new),
    amount('Expansion', ({ expansion }) => expansion),
    amount('Reactivation', ({ reactivation }) => reactivation),
    amount('Contraction', ({ contraction }) => contraction),
    amount('Churned', ({ churned }) => churned),
    amount('Net', netOf),
    amount('MRR', ({ mrr }) => mrr),
    countColumn('Started', ({ started }) => started),
    countColumn('Ended', ({ ended }) => ended),
  ];
}
