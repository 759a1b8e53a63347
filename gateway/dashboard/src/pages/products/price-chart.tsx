import { lazy, Suspense } from 'react';
import { Skeleton } from '../../parts/element/skeleton';
import { exportedMoney } from '../../parts/text/amount';
import { countText, moneyText, shortMoneyText } from '../../parts/text/text';
import type { CurvePoint } from './price-curve';

// Loaded after the page: charts are below the facts and the prices of a product.
const LineChart = lazy(async () => ({
  default: (await import('../../parts/chart/line-chart')).LineChart,
}));

/**
 * Price of a period by quantity: total and per unit. Two charts, because the price per unit would
 * be a flat line on the scale of the total.
 */
export function PriceChart({
  caption,
  points,
  currency,
}: {
  caption: string;
  points: readonly CurvePoint[];
  currency: string;
}) {
  const chart = (label: string, values: readonly number[]) => (
    <div>
      <h3>{label}</h3>
      <Suspense fallback={<Skeleton label="Loading the chart" rows={4} />}>
        <LineChart
          caption={`${caption}: ${label.toLowerCase()}`}
          timesTitle="Units"
          times={points.map(({ quantity }) => countText(quantity))}
          positions={points.map(({ quantity }) => quantity)}
          lines={[{ label, values }]}
          // A price per unit may be a fraction of the smallest unit; the chart rounds it.
          format={(amount) => moneyText(Math.round(amount), currency)}
          exported={(amount) => exportedMoney(Math.round(amount), currency)}
          formatShort={(amount) => shortMoneyText(amount, currency)}
        />
      </Suspense>
    </div>
  );
  return (
    <div className="panels">
      {chart(
        'Total',
        points.map(({ total }) => total),
      )}
      {chart(
        'Per unit',
        points.map(({ perUnit }) => perUnit),
      )}
    </div>
  );
}
