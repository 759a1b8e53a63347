import type { toJsonMeter } from '@billing/proto/json/meter';

export type Meter = ReturnType<typeof toJsonMeter>;

/** An exact quantity as a picture shows it: near enough for the eye. What is read beside it stays exact. */
export function drawnQuantity(quantity: string): number {
  return Number(quantity);
}
