import type { toJsonMeter } from '@billing/proto/json/meter';

export type Meter = ReturnType<typeof toJsonMeter>;

/** Quantity for a chart, which may lose precision. Texts and tables stay exact. */
export function drawnQuantity(quantity: string): number {
  return Number(quantity);
}
