import { z } from 'zod';
import { plainDecimal } from '@billing/kernel/plain-decimal';

// Decimals are sent as strings. The owning service checks their form and bounds.

/** Accepts a decimal string or a JSON number, returns a string. */
export const decimal = decimalString(
  z.union([z.string(), z.number()], {
    error: ({ input }) => messageFor(input, 'Must be a decimal string'),
  }),
);

/**
 * Accepts a rate in the smallest unit: a decimal string or a JSON integer. JSON fractions are not
 * exact.
 */
export const rate = decimalString(
  z.union([z.string(), z.int()], {
    error: ({ input }) => messageFor(input, 'Must be a decimal string or a whole number'),
  }),
);

function decimalString(schema: z.ZodType<string | number>) {
  return schema.transform((value) =>
    typeof value === 'number' ? plainDecimal(String(value)) : value,
  );
}

function messageFor(input: unknown, message: string): string {
  return input === undefined || input === null ? 'Required' : message;
}
