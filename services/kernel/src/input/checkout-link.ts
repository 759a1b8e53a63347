import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  type Parts,
  wholeNumberProblems,
} from '../input-problems';
import { webAddressProblems } from '../web-address';

const labelLengthMax = 200;
const productsMax = 10;
const linkQuantityMax = 1_000_000;

/** Bounds within which a visitor of a link chooses the quantity. */
export interface QuantityBounds {
  readonly min: number;
  readonly max: number;
}

/** Facts that the page of a link asks its visitors for, in addition to the email address. */
export const collectedFacts = ['NAME', 'ADDRESS'] as const;
export type CollectedFact = (typeof collectedFacts)[number];

/** Quantity without bounds of a link. */
const single: QuantityBounds = { min: 1, max: 1 };

/** Fields of a checkout link that have rules of their own. */
export interface CheckoutLinkFields {
  readonly label: string;
  readonly productIds: readonly string[];
  readonly successUrl?: string | undefined;
  readonly returnUrl?: string | undefined;
  readonly quantity?: QuantityBounds | undefined;
}

/** Problems of each field of a checkout link. */
export function checkoutLinkProblems(
  fields: Omit<CheckoutLinkFields, 'quantity'> & Parts<Pick<CheckoutLinkFields, 'quantity'>>,
): InputProblems {
  const { label, productIds, successUrl, returnUrl, quantity } = fields;
  return {
    label: lineProblems(label, { min: 1, max: labelLengthMax }),
    productIds: productProblems(productIds),
    successUrl: optionalProblems(successUrl, webAddressProblems),
    returnUrl: optionalProblems(returnUrl, webAddressProblems),
    quantity: optionalProblems(quantity, boundsProblems),
  };
}

/** Problems of the quantity that a visitor of a link chose. */
export function chosenQuantityProblems(
  quantity: number,
  bounds: QuantityBounds | undefined = single,
): string[] {
  return wholeNumberProblems(quantity, bounds);
}

/** Problems of bounds, each prefixed with its part. */
function boundsProblems({ min, max }: Parts<QuantityBounds>): string[] {
  const parts = { min, max };
  const problems = Object.entries(parts).flatMap(([part, value]) =>
    optionalProblems(value, (bound) =>
      wholeNumberProblems(bound, { min: 1, max: linkQuantityMax }),
    ).map((problem) => `${part}: ${problem}`),
  );
  if (problems.length > 0 || min === undefined || max === undefined) return problems;
  return min > max ? ['min: Must be at most max'] : [];
}

function productProblems({ length }: readonly string[]): string[] {
  if (length === 0) return ['Required'];
  return length > productsMax ? [`Must have at most ${String(productsMax)} elements`] : [];
}
