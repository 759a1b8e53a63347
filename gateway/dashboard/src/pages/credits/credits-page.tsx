import { quantityText } from '@billing/gateway/amount-text';
import type { toJsonMeterCredits } from '@billing/gateway/operator/report-routes';
import { useResource } from '../../api/queries';
import { Columns } from '../../parts/chart/bars';
import { DaysFilter, useFilters } from '../../parts/form/filters';
import { EmptyState, Figure, Figures, PageLayout, Panel } from '../../parts/element/layout';
import { LineChart } from '../../parts/chart/line-chart';
import { Answer } from '../../parts/element/notices';
import { drawnQuantity } from '../../resources/meter';

type MeterCredits = ReturnType<typeof toJsonMeterCredits>;

/** Balance and use of prepaid credits by meter. */
export function CreditsPage() {
  const { values, set } = useFilters(['days']);
  const days = values.days || '90';
  const answer = useResource<{ readonly data: readonly MeterCredits[] }>(
    '/dashboard/api/reports/credits',
    { query: { days } },
  );
  return (
    <PageLayout title="Credits" lead="Prepaid balances and how fast they are used.">
      <div className="filters">
        <DaysFilter value={days} onChange={(chosen) => set('days', chosen)} days={[30, 90]} />
      </div>
      <Answer of={answer} what="credits">
        {({ data }) =>
          data.length === 0 ? (
            <Panel>
              <EmptyState title="No credits yet">
                Grant credits on a customer’s page or with{' '}
                <code>POST /v1/customers/:id/meter-credits</code>.
              </EmptyState>
            </Panel>
          ) : (
            data.map((credits) => <CreditsPanel key={credits.meterId} credits={credits} />)
          )
        }
      </Answer>
    </PageLayout>
  );
}

function CreditsPanel({ credits: { meterName, unit, days } }: { credits: MeterCredits }) {
  const times = days.map(({ day }) => day);
  const series = (name: 'granted' | 'used' | 'expired' | 'balance') =>
    days.map((day) => drawnQuantity(day[name]));
  const format = (value: number) => quantityText(String(value));
  return (
    <Panel title={meterName}>
      <Figures>
        <Figure
          name="Current balance"
          value={quantityText(days.at(-1)?.balance ?? '0')}
          detail={unit ?? 'units'}
        />
      </Figures>
      <LineChart
        caption={`Credit balance of ${meterName}`}
        times={times}
        lines={[{ label: 'Balance', values: series('balance') }]}
        format={format}
      />
      <Columns
        caption={`Credit changes of ${meterName} by day`}
        times={times}
        series={[
          { label: 'Granted', values: series('granted') },
          { label: 'Used', values: series('used').map((used) => -used) },
          { label: 'Expired', values: series('expired').map((expired) => -expired) },
        ]}
        format={format}
      />
      <p className="faint">Credits are deducted when the usage of a period is settled.</p>
    </Panel>
  );
}
