import { LineChart } from '../../parts/line-chart';
import { exportedMoney } from '../../parts/amount';
import { countText, moneyText, shortMoneyText } from '../../parts/text';
import type { CurvePoint } from './price-curve';

/** What a period costs by quantity: the total, and for each unit. Two pictures, because the one would lie flat beside the other. */
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
      <LineChart
        caption={`${caption}: ${label.toLowerCase()}`}
        timesTitle="Units"
        times={points.map(({ quantity }) => countText(quantity))}
        positions={points.map(({ quantity }) => quantity)}
        lines={[{ label, values }]}
        // A share of the total may be a fraction of the smallest unit; the picture rounds it.
        format={(amount) => moneyText(Math.round(amount), currency)}
        exported={(amount) => exportedMoney(Math.round(amount), currency)}
        formatShort={(amount) => shortMoneyText(amount, currency)}
      />
    </div>
  );
  return (
    <div className="panels">
      {chart(
        'Total',
        points.map(({ total }) => total),
      )}
      {chart(
        'For each unit',
        points.map(({ perUnit }) => perUnit),
      )}
    </div>
  );
}
