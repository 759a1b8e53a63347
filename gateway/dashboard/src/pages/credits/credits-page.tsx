import { useState } from 'react';
import { quantityText } from '@billing/gateway/amount-text';
import type { toJsonMeterCredits } from '@billing/gateway/dashboard/report-routes';
import { useResource } from '../../api/queries';
import { Columns } from '../../parts/bars';
import { DaysFilter } from '../../parts/filters';
import { EmptyState, Figure, Figures, PageLayout, Panel } from '../../parts/layout';
import { LineChart } from '../../parts/line-chart';
import { Answer } from '../../parts/notices';
import { drawnQuantity } from '../usage/meter';

type MeterCredits = ReturnType<typeof toJsonMeterCredits>;

/** How prepaid credits burn down, meter by meter. */
export function CreditsPage() {
  const [days, setDays] = useState('90');
  const answer = useResource<{ readonly data: readonly MeterCredits[] }>(
    '/dashboard/api/reports/credits',
    { query: { days } },
  );
  return (
    <PageLayout
      title="Credits"
      lead="What customers hold beyond what their plan includes, and how it burns down."
    >
      <div className="filters">
        <DaysFilter value={days} onChange={setDays} days={[30, 90]} />
      </div>
      <Answer of={answer} what="credits">
        {({ data }) =>
          data.length === 0 ? (
            <Panel>
              <EmptyState title="No customer has been granted credits">
                Grant some on a customer’s page, or with{' '}
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
          name="Left now"
          value={quantityText(days.at(-1)?.balance ?? '0')}
          detail={unit ?? 'units'}
        />
      </Figures>
      <LineChart
        caption={`Credits of ${meterName} that are left`}
        times={times}
        lines={[{ label: 'Left', values: series('balance') }]}
        format={format}
      />
      <Columns
        caption={`Credits of ${meterName} by day`}
        times={times}
        series={[
          { label: 'Granted', values: series('granted') },
          { label: 'Used', values: series('used').map((used) => -used) },
          { label: 'Expired', values: series('expired').map((expired) => -expired) },
        ]}
        format={format}
      />
      <p className="faint">Credits burn when a period’s usage is settled.</p>
    </Panel>
  );
}
