import { Link } from 'wouter';
import type { Today } from '@billing/gateway/operator/today-routes';
import { useWorkspace } from '../../api/environment';
import { useResource } from '../../api/queries';
import { exportedMoney, largestFirst } from '../../parts/text/amount';
import { EmptyState, Figure, Figures, PageLayout, Panel } from '../../parts/element/layout';
import { LineChart } from '../../parts/chart/line-chart';
import { Answer } from '../../parts/element/notices';
import { countText, moneyText, shortMoneyText } from '../../parts/text/text';
import { Instant } from '../../parts/element/values';
import { MissingProvider, ProviderText } from '../../resources/missing-provider';
import { sinceFirst } from '../../parts/chart/since-first';
import { ChoiceFilter, useFilters } from '../../parts/form/filters';
import { changeOf, endOfDay, type Overview, type RecurringRevenue } from './overview';
import { SetupPanel } from './setup-panel';
import { SalesFigures, TodoPanel } from './todo-panel';

const askEveryMs = 60_000;
// One more month than the range, so that its first month has one to compare with.
const usualRange = '13';
const ranges = [
  ['4', 'Last 3 months'],
  ['7', 'Last 6 months'],
  [usualRange, 'Last 12 months'],
  ['25', 'Last 2 years'],
  ['61', 'Last 5 years'],
] as const;

/** First page of an environment: key figures and recurring revenue. */
export function HomePage() {
  const { session, environment } = useWorkspace();
  const { values, set } = useFilters(['months']);
  const months = ranges.some(([count]) => count === values.months) ? values.months : usualRange;
  const overview = useResource<Overview>('/dashboard/api/reports/overview', {
    query: { months },
    refetchMs: askEveryMs,
  });
  const today = useResource<Today>('/dashboard/api/reports/today', { refetchMs: askEveryMs });
  const { data } = overview;
  return (
    <PageLayout
      title={session.organization.name}
      lead={
        data === undefined ? undefined : (
          <>
            Updated <Instant at={data.now} />
          </>
        )
      }
    >
      {environment.kind === 'LIVE' ? (
        <>
          <MissingProvider />
          <ProviderText />
        </>
      ) : (
        <p className="faint">
          Payments of this sandbox use test cards, such as 4242 4242 4242 4242. No card is charged.
        </p>
      )}
      <Answer of={overview} what="overview">
        {(answer) => (
          <>
            <Answer of={today} what="to do" rows={3}>
              {(report) => (
                <>
                  <SetupPanel setup={report.setup} firstCallMade={answer.firstCallMade} />
                  <TodoPanel today={report} />
                  <SalesFigures sales={report.sales} />
                </>
              )}
            </Answer>
            <Counts overview={answer} />
            {answer.mrr.length > 0 && (
              <div className="filters">
                <ChoiceFilter
                  label="MRR range"
                  hasAll={false}
                  value={months}
                  choices={ranges}
                  onChange={(count) => set('months', count)}
                />
              </div>
            )}
            <RevenuePanels mrr={answer.mrr} />
          </>
        )}
      </Answer>
    </PageLayout>
  );
}

function Counts({
  overview: { now, subscriptions, failedWebhooks, failedWebhooksIsMore, renewalsToday },
}: {
  overview: Overview;
}) {
  const { active, pastDue, trialing } = subscriptions;
  return (
    <Figures>
      <Figure name="Past due" value={countText(pastDue)} href="/subscriptions?status=PAST_DUE" />
      <Figure
        name="Failed webhooks"
        value={countText(failedWebhooks, failedWebhooksIsMore)}
        detail="last 24 hours"
        href="/developers/webhooks"
      />
      <Figure
        name="Active"
        value={countText(active)}
        href="/subscriptions?status=ACTIVE&phase=REGULAR"
      />
      <Figure name="On trial" value={countText(trialing)} href="/subscriptions?phase=TRIAL" />
      <Figure
        name="Renewals today"
        value={countText(renewalsToday)}
        detail="until midnight UTC"
        href={`/subscriptions?renewsBefore=${endOfDay(now)}`}
      />
    </Figures>
  );
}

function RevenuePanels({ mrr }: { mrr: readonly RecurringRevenue[] }) {
  if (mrr.length === 0) {
    return (
      <Panel title="Monthly recurring revenue">
        <EmptyState title="No revenue yet">
          MRR appears with the first billed <Link href="/subscriptions">subscription</Link>.
        </EmptyState>
      </Panel>
    );
  }
  return (
    <div className="panels">
      {largestFirst(mrr, ({ amount }) => amount).map((revenue) => (
        <RevenuePanel key={revenue.currency} revenue={revenue} />
      ))}
    </div>
  );
}

function RevenuePanel({ revenue }: { revenue: RecurringRevenue }) {
  const { currency, amount } = revenue;
  const months = sinceFirst(revenue.months, ({ amount: mrr }) => Number(mrr) !== 0);
  return (
    <Panel
      title={`Monthly recurring revenue in ${currency}`}
      actions={<Link href={`/revenue?currency=${currency}`}>MRR movements</Link>}
    >
      <p>
        <span className="figure-value">{moneyText(amount, currency)}</span>{' '}
        <span className="faint">{changeText(revenue)}</span>
      </p>
      <LineChart
        caption={`Monthly recurring revenue in ${currency}`}
        times={months.map(({ month }) => month)}
        lines={[{ label: 'MRR', values: months.map((month) => Number(month.amount)) }]}
        format={(value) => moneyText(Math.round(value), currency)}
        exported={(value) => exportedMoney(Math.round(value), currency)}
        formatShort={(value) => shortMoneyText(value, currency)}
      />
    </Panel>
  );
}

function changeText(revenue: RecurringRevenue): string {
  const change = changeOf(revenue);
  if (change === undefined || change === 0n) return 'Unchanged since the end of last month';
  const text = moneyText((change < 0n ? -change : change).toString(), revenue.currency);
  return `${change < 0n ? 'Down' : 'Up'} ${text} since the end of last month`;
}
