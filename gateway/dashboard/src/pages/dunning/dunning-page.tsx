import type { toJsonDunning } from '@billing/gateway/operator/money-report-routes';
import { useResource } from '../../api/queries';
import { Bars } from '../../parts/chart/bars';
import { moneyColumn } from '../../parts/table/columns';
import { DataTable } from '../../parts/table/data-table';
import { DaysFilter, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { countText } from '../../parts/text/text';
import { AtRiskTable } from './at-risk-table';
import { DisputePanel } from './dispute-panel';
import { type DunningCounts, outcomes } from './outcomes';

type Dunning = ReturnType<typeof toJsonDunning>;

/** Outcomes of failed payments. */
export function DunningPage() {
  const { values, set } = useFilters(['days']);
  const days = values.days || '90';
  const answer = useResource<Dunning>('/dashboard/api/reports/dunning', { query: { days } });
  return (
    <PageLayout title="Dunning" lead="Failed payments and their recovery.">
      <AtRiskTable />
      <DisputePanel />
      <Panel title="Recovery">
        <div className="filters">
          <DaysFilter
            value={days}
            onChange={(chosen) => set('days', chosen)}
            days={[30, 90, 365]}
          />
        </div>
        <Answer of={answer} what="failed payments">
          {(dunning) => <DunningView dunning={dunning} />}
        </Answer>
      </Panel>
    </PageLayout>
  );
}

function DunningView({ dunning }: { dunning: Dunning }) {
  if (dunning.failed === 0) {
    return (
      <EmptyState title="No failed payments in this period">
        Failed payments are retried automatically and counted here.
      </EmptyState>
    );
  }
  return (
    <>
      <Bars
        caption="Failed payments by outcome"
        bars={outcomes(dunning).map(({ label, value }) => ({
          key: label,
          label,
          value,
          text: countText(value),
        }))}
      />
      {dunning.amounts.map((amounts) => (
        <AmountTable key={amounts.currency} {...{ dunning, amounts }} />
      ))}
    </>
  );
}

function AmountTable({
  amounts,
}: {
  amounts: DunningCounts<number | string> & { currency: string };
}) {
  const { currency } = amounts;
  return (
    <DataTable
      caption={`Amounts in ${currency}, net of customer balances`}
      isCaptionShown
      columns={[
        { title: 'Outcome', text: ({ label }) => label },
        moneyColumn<{ readonly value: number | string }>(
          currency,
          ({ value }) => value,
          () => currency,
        ),
      ]}
      rows={outcomes(amounts)}
      rowKey={({ label }) => label}
    />
  );
}
