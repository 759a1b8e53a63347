import { z } from 'zod';
import { plainDecimal } from '@billing/kernel/plain-decimal';

// Decimals travel as strings; their form and bounds are checked by the service that keeps them.

/** A decimal string or a JSON number, as a string. */
export const decimal = decimalString(
  z.union([z.string(), z.number()], {
    error: ({ input }) => messageFor(input, 'Must be a decimal string'),
  }),
);

/**
 * A rate in the smallest unit: a decimal string, or a JSON integer, because a fraction is no exact
 * number in JSON.
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
