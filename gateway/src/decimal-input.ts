import { z } from 'zod';

// Decimals travel as strings; their form and bounds are checked by the service that keeps them.

/** A decimal string or a JSON number, as a string. */
export const decimal = decimalString(
  z.union([z.string(), z.number()], {
    error: ({ input }) => messageFor(input, 'Must be a decimal string'),
  }),
);

/** A rate in the smallest unit: a decimal string, or a JSON integer, because a fraction is no exact number in JSON. */
export const rate = decimalString(
  z.union([z.string(), z.int()], {
    error: ({ input }) => messageFor(input, 'Must be a decimal string or a whole number'),
  }),
);

function decimalString(schema: z.ZodType<string | number>) {
  return schema.transform((value) => (typeof value === 'number' ? plainText(value) : value));
}

/** A number without an exponent: 1e-7 as 0.0000001. Numbers too large for that stay as they are, and are refused for their size. */
export function plainText(number: number): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(String(number)) ?? [];
  if (exponent === undefined) return String(number);
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`;
}

function messageFor(input: unknown, message: string): string {
  return input === undefined || input === null ? 'Required' : message;
}
