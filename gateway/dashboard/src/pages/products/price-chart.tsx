import { LineChart } from '../../parts/line-chart';
import { countText, moneyText, shortMoneyText } from '../../parts/text';
import type { CurvePoint } from './price-curve';

/** What a period costs by quantity: the total, and for each unit. */
export function PriceChart({
  caption,
  points,
  currency,
}: {
  caption: string;
  points: readonly CurvePoint[];
  currency: string;
}) {
  return (
    <LineChart
      caption={caption}
      timesTitle="Units"
      times={points.map(({ quantity }) => countText(quantity))}
      positions={points.map(({ quantity }) => quantity)}
      lines={[
        { label: 'Total', values: points.map(({ total }) => total) },
        { label: 'For each unit', values: points.map(({ perUnit }) => perUnit) },
      ]}
      // A share of the total may be a fraction of the smallest unit; the picture rounds it.
      format={(amount) => moneyText(Math.round(amount), currency)}
      formatShort={(amount) => shortMoneyText(amount, currency)}
    />
  );
}
