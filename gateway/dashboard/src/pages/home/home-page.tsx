import { Link } from 'wouter';
import { useWorkspace } from '../../api/environment';
import { useResource } from '../../api/queries';
import { exportedMoney, largestFirst } from '../../parts/text/amount';
import { CopyText } from '../../parts/element/buttons';
import { EmptyState, Figure, Figures, PageLayout, Panel } from '../../parts/element/layout';
import { LineChart } from '../../parts/chart/line-chart';
import { Answer } from '../../parts/element/notices';
import { countText, moneyText, shortMoneyText } from '../../parts/text/text';
import { Instant } from '../../parts/element/values';
import { MissingProvider } from '../../resources/missing-provider';
import { changeOf, endOfDay, firstCall, type Overview, type RecurringRevenue } from './overview';

const askEveryMs = 60_000;

/** First page of an environment: key figures and recurring revenue. */
export function HomePage() {
  const { session, environment } = useWorkspace();
  const overview = useResource<Overview>('/dashboard/api/reports/overview', {
    refetchMs: askEveryMs,
  });
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
      {environment.kind === 'LIVE' && <MissingProvider />}
      <Answer of={overview} what="overview">
        {(answer) => (
          <>
            {!answer.firstCallMade && <FirstCall />}
            <Counts overview={answer} />
            <RevenuePanels mrr={answer.mrr} />
          </>
        )}
      </Answer>
    </PageLayout>
  );
}

function FirstCall() {
  return (
    <Panel title="Your first call">
      <p>
        <Link href="/developers/api-keys">Create an API key</Link>, replace <code>YOUR_KEY</code>{' '}
        with it and run:
      </p>
      <CopyText text={firstCall(window.location.origin)} what="first call" />
    </Panel>
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
      <Figure
        name="Past due"
        value={countText(pastDue)}

        href="/subscriptions?status=PAST_DUE"
      />
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
      <Figure
        name="On trial"
        value={countText(trialing)}

        href="/subscriptions?phase=TRIAL"
      />
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
  const { currency, amount, months } = revenue;
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
        lines={[{ label: 'Revenue', values: months.map((month) => Number(month.amount)) }]}
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
