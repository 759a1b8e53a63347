import type { CallContext } from '@billing/chassis/call-context';
import { digestOf } from '@billing/chassis/preview-token';
import { redemptionRefusal } from '@billing/kernel/discount-validity';
import { appliesToProduct } from '@billing/kernel/discounting';
import { invalidInput, unlessNotFound } from '@billing/kernel/domain-error';
import { Discount, RedemptionHolder } from '@billing/proto/billing/discount/v1/discount';
import { discountTypes } from '@billing/proto/values/discount';
import type { Peers } from './peers';
import { snapshotsOf } from './snapshot';

export const discountSnapshot = snapshotsOf(Discount);

/** Discount of the session's invoice from its redemption. */
export function fromProtoDiscount({ id, name, type, value, productIds }: Discount) {
  return { discountId: id, name, type: discountTypes.nameOf(type), value, productIds };
}

/** Error for a discount that cannot be redeemed; `field` is the input field that names it. */
export function discountNotValid(field: 'discountId' | 'checkoutLinkId' = 'discountId'): Error {
  return invalidInput({ [field]: ['Discount is not valid'] });
}

/** Refuses an unknown discount. The reservation decides if it can be redeemed. */
export async function checkDiscountIsKnown(
  { discount }: Peers,
  id: string | undefined,
  context: CallContext,
): Promise<void> {
  if (id === undefined) return;
  if ((await unlessNotFound(discount.getDiscount({ id }, context))) === undefined) {
    throw discountNotValid();
  }
}

/**
 * Refuses the discount of a link if it cannot be redeemed for any of the link's products. A
 * discount that applies to some of the products is checked again when a product is bought.
 */
export async function checkDiscountOfLink(
  { discount: discounts }: Peers,
  {
    discountId,
    productIds,
  }: { readonly discountId: string | undefined; readonly productIds: readonly string[] },
  context: CallContext,
): Promise<void> {
  if (discountId === undefined) return;
  const found = await unlessNotFound(discounts.getDiscount({ id: discountId }, context));
  const discount = found?.discount;
  if (discount === undefined) throw discountNotValid();
  const limits = {
    active: discount.active,
    startsAt: discount.startsAt ?? null,
    endsAt: discount.endsAt ?? null,
    maxRedemptions: discount.maxRedemptions ?? null,
  };
  const { redemptionCount: redemptions } = discount;
  const isRefused = redemptionRefusal(limits, { at: context.now, redemptions }) !== null;
  const isForNone = !productIds.some((productId) => appliesToProduct(discount, productId));
  if (isRefused || isForNone) throw discountNotValid();
}

/** A session that may hold a redemption. */
interface Holder {
  readonly id: string;
  readonly discountId: string | undefined;
  /** A typed code holds it in place of the session. */
  readonly codes?: { readonly held: { readonly holderId: string } | undefined } | undefined;
}

/** Reference of the redemption of a session, for the discount service. */
export function heldRedemption({ id, discountId, codes }: Holder) {
  if (discountId === undefined) throw new Error(`Session ${id} has no discount`);
  return { discountId, holderId: codes?.held?.holderId ?? id };
}

/**
 * Finds the discount of a typed code; undefined if it cannot be redeemed now. A holder that has a
 * redemption of it may redeem it.
 */
export async function findCode(
  { discount: peer }: Peers,
  { code, holderId }: { readonly code: string; readonly holderId: string },
  context: CallContext,
): Promise<string | undefined> {
  const request = { code: code.trim(), productId: undefined, holderId };
  return (await unlessNotFound(peer.validateCode(request, context)))?.discount?.id;
}

/** Code of a discount as stored with a session. */
export function codeOf(discount: string): string | undefined {
  return discountSnapshot.read(discount).code;
}

/** A typed code that is to hold a redemption. */
interface TypedCode {
  readonly discountId: string;
  readonly holderId: string;
  readonly sessionId: string;
  readonly round: number;
  /** Products that are bought, the main one first. */
  readonly productIds: readonly string[];
  readonly currency: string;
}

/** Reserves a redemption for a typed code, and returns the discount's terms; undefined: refused. */
export async function holdCode(
  { discount: peer }: Peers,
  { sessionId, round, productIds, ...wanted }: TypedCode,
  context: CallContext,
): Promise<string | undefined> {
  const [productId = '', ...otherProductIds] = productIds;
  const holder = RedemptionHolder.REDEMPTION_HOLDER_SESSION_CODE;
  const request = {
    ...{ ...wanted, holder, productId, otherProductIds },
    sessionCode: { sessionId, round },
  };
  return termsOf(await unlessNotFound(peer.reserveRedemption(request, context)));
}

/**
 * Reserves a redemption for the session and returns the discount's terms; undefined if it cannot be
 * redeemed.
 */
export async function holdRedemption(
  { discount: peer }: Peers,
  session: DiscountedSession,
  context: CallContext,
): Promise<string | undefined> {
  const holder = RedemptionHolder.REDEMPTION_HOLDER_CHECKOUT_SESSION;
  const request = { ...redemptionOf(session), holder };
  return termsOf(await unlessNotFound(peer.reserveRedemption(request, context)));
}

/** Digest of the terms of a discount as stored with a session; undefined: none. */
export function discountDigest(terms: string | undefined): string {
  if (terms === undefined) return '';
  const { id, name, type, value, duration, durationInMonths, productIds } =
    discountSnapshot.read(terms);
  return digestOf([id, name, type, value, duration, durationInMonths, productIds]);
}

/** Reads the terms of the discount that a session could redeem now; undefined: it could not. */
export async function quoteRedemption(
  { discount: peer }: Pick<Peers, 'discount'>,
  session: DiscountedSession,
  context: CallContext,
): Promise<string | undefined> {
  return termsOf(await unlessNotFound(peer.quoteRedemption(redemptionOf(session), context)));
}

/** A session whose discount is to be redeemed. */
type DiscountedSession = Holder & {
  readonly productId: string;
  readonly otherItems?: readonly { readonly productId: string }[] | undefined;
  readonly currency: string;
};

/** The redemption that a session wants, for the discount service. */
function redemptionOf(session: DiscountedSession) {
  const { productId, otherItems = [], currency } = session;
  const otherProductIds = otherItems.map((item) => item.productId);
  return { ...heldRedemption(session), productId, otherProductIds, currency };
}

/** Terms of a discount as stored with a session; undefined: it cannot be redeemed. */
function termsOf(answer: { readonly discount?: Discount | undefined } | undefined) {
  if (answer === undefined) return undefined;
  if (answer.discount === undefined) throw new Error('Response without a discount');
  return discountSnapshot.write(answer.discount);
}
