import { lineText as describeLine } from '@billing/presentation/line-text';
import type { LineItem, LineItemTier } from '@billing/proto/billing/checkout/v1/checkout';
import { lineKinds } from '@billing/proto/values/checkout';
import { quantityText, rateText } from './amount-text';
import { type Shown, type Text, textFor } from './reader';

/** Description of a line in the language of its reader. */
export function lineText(line: LineItem): Text {
  const kind = lineKinds.knownName(line.kind ?? 0);
  return ({ locale }) => describeLine({ ...line, kind }, locale);
}

/** Calculation of a tiered amount, one text for each tier: `10 × $4.00 + $10.00 = $50.00`. */
export function calculationOf({ details }: LineItem, currency: string): Shown[] {
  return (details?.tiers ?? []).map((tier) => tierText(tier, currency));
}

function tierText(
  { quantity, unitAmount, flatAmount, amount }: LineItemTier,
  currency: string,
): Shown {
  const [count, rate, flat, sum] = [
    quantityText(quantity),
    rateText(unitAmount, currency),
    rateText(flatAmount, currency),
    rateText(amount, currency),
  ];
  return (reader) => {
    const shown = (text: Text) => textFor(text, reader);
    const more = flatAmount === '0' ? '' : ` + ${shown(flat)}`;
    return `${shown(count)} × ${shown(rate)}${more} = ${shown(sum)}`;
  };
}
