import { createHash } from 'node:crypto';
import type { CallContext } from '@billing/chassis/call-context';
import { randomSecret } from '@billing/chassis/ids';
import { chosenQuantityProblems } from '@billing/kernel/input/checkout-link';
import { isAmount } from '@billing/kernel/money';
import { type CheckoutLink, CollectedFact } from '@billing/proto/billing/checkout/v1/checkout_link';
import { present } from '../../http/answer';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import {
  addressLabels,
  addressNames,
  missingAddressParts,
  readAddress,
  readTexts,
  type TypedTexts,
} from '../frame/address-fields';
import type { FormProblems } from '../frame/form-fields';
import { followsQuantity, priceAmount } from '../terms/purchase-terms';
import type { OfferedProduct } from './offer';

/** Input of a visitor, not yet validated. */
export interface OrderForm {
  /** Deduplicates a form that is submitted twice. */
  readonly nonce: string;
  readonly productId: string | undefined;
  /** Email address, quantity, name and address as typed, by field name. */
  readonly typed: TypedTexts;
}

/** Link and the products that it currently offers. */
export interface Offer {
  readonly link: CheckoutLink;
  readonly products: readonly OfferedProduct[];
}

const nonceBytes = 16;
const noncePattern = /^[\w-]{22}$/;
const wholeNumberPattern = /^\d{1,7}$/;

/** Labels of the fields for the summary of problems. */
export const orderLabels: Readonly<Record<string, Text>> = {
  email: say('field.email'),
  productId: say('field.product'),
  quantity: say('field.quantity'),
  name: say('field.name'),
  ...addressLabels,
};

/** True if the page asks visitors for a fact. */
export function collects({ collect }: CheckoutLink, fact: CollectedFact): boolean {
  return collect.includes(fact);
}

/**
 * Bounds of the quantity if visitors choose it; undefined if it is fixed, and if no product has a
 * price that follows it.
 */
export function choosableQuantity({ link: { quantity }, products }: Offer) {
  const isPriced = products.some(({ price }) => followsQuantity(present(price)));
  return isPriced && quantity !== undefined && quantity.min < quantity.max ? quantity : undefined;
}

/** Form of a visitor who has typed nothing. */
export function emptyOrderForm(): OrderForm {
  return { nonce: newNonce(), productId: undefined, typed: {} };
}

/** Reads the fields that the page of the offer has. */
export function readOrderForm(form: ReadonlyMap<string, string>, offer: Offer): OrderForm {
  const { link } = offer;
  const nonce = form.get('nonce') ?? '';
  const names = [
    'email',
    ...(choosableQuantity(offer) === undefined ? [] : ['quantity']),
    ...(collects(link, CollectedFact.COLLECTED_FACT_NAME) ? ['name'] : []),
    ...(collects(link, CollectedFact.COLLECTED_FACT_ADDRESS) ? addressNames : []),
  ];
  return {
    // A form without a nonce counts as a new form each time.
    nonce: noncePattern.test(nonce) ? nonce : newNonce(),
    productId: form.get('productId'),
    typed: readTexts(form, names),
  };
}

/** Quantity that the form orders; NaN if it is not a whole number. */
export function orderedQuantity({ quantity }: CheckoutLink, { typed }: OrderForm): number {
  const { quantity: text } = typed;
  if (text === undefined) return quantity?.min ?? 1;
  return wholeNumberPattern.test(text) ? Number(text) : Number.NaN;
}

/** Problems of the chosen quantity alone. */
export function quantityProblems({ link, products }: Offer, form: OrderForm): FormProblems {
  const quantity = orderedQuantity(link, form);
  const problems = chosenQuantityProblems(quantity, link.quantity);
  if (problems.length > 0) return { quantity: problems };
  const price = products.find(({ id }) => id === form.productId)?.price;
  if (price === undefined || isAmount(priceAmount(price, quantity))) return {};
  return { quantity: ['The total exceeds the maximum amount'] };
}

/** Problems of a form that orders a product; empty if there are none. */
export function orderProblems(offer: Offer, form: OrderForm): FormProblems {
  const { link, products } = offer;
  const { productId, typed } = form;
  const isOffered = products.some(({ id }) => id === productId);
  const { name } = typed;
  return {
    ...(isOffered ? {} : { productId: ['Required'] }),
    ...quantityProblems(offer, form),
    ...(typed.email === '' ? { email: ['Required'] } : {}),
    ...(name === '' ? { name: ['Required'] } : {}),
    ...(collects(link, CollectedFact.COLLECTED_FACT_ADDRESS) ? missingAddressParts(typed) : {}),
  };
}

/** Facts about the new customer of an order. */
export function customerOf({ typed, productId }: OrderForm, { products }: Offer) {
  return {
    email: present(typed.email),
    name: typed.name,
    address: readAddress(typed),
    currency: products.find(({ id }) => id === productId)?.price?.currency,
  };
}

/**
 * Calls with an idempotency key of the form: a resubmitted form is the same order, a changed form
 * is a new one.
 */
export function keyedByForm(
  context: CallContext,
  link: CheckoutLink,
  { nonce, productId, typed: { email, ...more } }: OrderForm,
): CallContext {
  const text = JSON.stringify([link.id, nonce, email, productId, ...Object.entries(more)]);
  const requestHash = createHash('sha256').update(text).digest('base64');
  return { ...context, idempotency: { key: `checkout-link:${requestHash}`, requestHash } };
}

function newNonce(): string {
  return randomSecret(nonceBytes).toString('base64url');
}
