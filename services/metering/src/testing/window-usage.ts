import { Decimal } from '@billing/kernel/decimal';
import { noUsage, type WindowUsage } from '../span/read-usage';
import type { Span } from '../usage/hour';

/** Usage of a window that is a sum, given by the units of its spans; one event in each. */
export function usageOfUnits(
  units: readonly { readonly span: Span; readonly units: number }[],
): WindowUsage {
  const spans = units.map(({ span, units: quantity }) => ({
    span,
    total: { events: 1, quantity: String(quantity), latest: null },
  }));
  const sum = units.reduce((all, one) => all + one.units, 0);
  return { ...noUsage, spans, events: spans.length, quantity: Decimal.of(BigInt(sum)) };
}
