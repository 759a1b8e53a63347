const steps = [1, 2, 5, 10];
const ticksWanted = 4;

/**
 * Round values of an axis that spans all values and zero, ascending: multiples of 1, 2 or 5 times a
 * power of ten.
 */
export function valueTicks(lowest: number, highest: number): readonly number[] {
  const [low, high] = [Math.min(0, lowest), Math.max(0, highest)];
  const range = high - low || 1;
  const rough = range / ticksWanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (steps.find((one) => one * power >= rough) ?? 10);
  // Values are amounts in the smallest unit or counts: parts of them make no sense.
  const whole = Math.max(1, step);
  const first = Math.floor(low / whole);
  const last = Math.max(Math.ceil(high / whole), first + 1);
  // Without the sign of a negative zero.
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * whole + 0);
}
