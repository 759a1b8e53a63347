import {
  type LineItem,
  LineItemKind,
  type LineItemTier,
} from '@billing/proto/billing/checkout/v1/checkout';
import { quantityText, rateText } from './amount-text';
import { type Shown, type Text, textFor } from './reader';
import { say } from './say';

/** What the description of a line follows from. */
export type DescribedLine = Pick<LineItem, 'description' | 'kind' | 'amount' | 'quantity'>;

const trialPattern = /^(?<product>.*) \(trial, (?<days>\d+) days?\)$/u;

/**
 * Description of a line. The names in it are the seller's; the system's words around them are in
 * English in the API, and in the reader's language here.
 */
export function lineText({ description, kind, amount, quantity }: DescribedLine): Text {
  const proration = prorationOf(kind);
  if (proration !== undefined && description.startsWith(proration.words)) {
    return say(proration.key, { product: description.slice(proration.words.length) });
  }
  const isFree = amount === 0n && quantity === '1';
  const { product, days } = trialPattern.exec(description)?.groups ?? {};
  if (!isFree || product === undefined || days === undefined) return description;
  return say('line.trial', { product, days: Number(days) });
}

function prorationOf(kind: LineItem['kind']) {
  switch (kind) {
    case LineItemKind.LINE_ITEM_KIND_UNUSED_TIME:
      return { key: 'line.unusedTime', words: 'Unused time on ' } as const;
    case LineItemKind.LINE_ITEM_KIND_REMAINING_TIME:
      return { key: 'line.remainingTime', words: 'Remaining time on ' } as const;
    default:
      return undefined;
  }
}

/**
 * Price of each unit of a line, a rate; undefined if units have several prices. All units of a
 * volume price have the price of one tier.
 */
export function unitPriceOf({ unitAmount, details }: LineItem): string | undefined {
  if (unitAmount !== undefined) return unitAmount;
  const [tier, ...others] = details?.tiers ?? [];
  return others.length === 0 ? tier?.unitAmount : undefined;
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
