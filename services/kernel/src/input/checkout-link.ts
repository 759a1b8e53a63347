import { type InputProblems, lineProblems, optionalProblems } from '../input-problems';
import { webAddressProblems } from '../web-address';

const labelLengthMax = 200;
const productsMax = 10;

/** Fields of a checkout link that have rules of their own. */
export interface CheckoutLinkFields {
  readonly label: string;
  readonly productIds: readonly string[];
  readonly successUrl?: string | undefined;
  readonly returnUrl?: string | undefined;
}

/** Problems of each field of a checkout link. */
export function checkoutLinkProblems(fields: CheckoutLinkFields): InputProblems {
  const { label, productIds, successUrl, returnUrl } = fields;
  return {
    label: lineProblems(label, { min: 1, max: labelLengthMax }),
    productIds: productProblems(productIds),
    successUrl: optionalProblems(successUrl, webAddressProblems),
    returnUrl: optionalProblems(returnUrl, webAddressProblems),
  };
}

function productProblems({ length }: readonly string[]): string[] {
  if (length === 0) return ['Required'];
  return length > productsMax ? [`Must have at most ${String(productsMax)} elements`] : [];
}
