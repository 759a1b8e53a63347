import type { toJsonMeter } from '@billing/proto/json/meter';

export type Meter = ReturnType<typeof toJsonMeter>;

/** Quantity for a chart and the table below it; may lose precision, unlike other texts. */
export function drawnQuantity(quantity: string): number {
  return Number(quantity);
}
