import type { CallContext } from '@billing/chassis/call-context';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { RedemptionHolder } from '@billing/proto/billing/discount/v1/discount';
import type { Peers } from '../peers';
import type { Session } from './session';
import { discountSnapshot } from './session-snapshot-rpc';

/** Reference of the redemption that a session holds, for the discount service. */
export function heldRedemption({ id: holderId, discountId }: Session) {
  if (discountId === undefined) throw new Error(`Session ${holderId} has no discount`);
  return { discountId, holderId };
}

/**
 * Reserves a redemption for the session and returns the discount's terms; undefined if it cannot be
 * redeemed.
 */
export async function holdRedemption(
  { discount: peer }: Peers,
  session: Session,
  context: CallContext,
): Promise<string | undefined> {
  const { productId, currency } = session;
  const holder = RedemptionHolder.REDEMPTION_HOLDER_CHECKOUT_SESSION;
  const request = { ...heldRedemption(session), holder, productId, currency };
  const answer = await unlessNotFound(peer.reserveRedemption(request, context));
  if (answer === undefined) return undefined;
  if (answer.discount === undefined) throw new Error('Response without a discount');
  return discountSnapshot.write(answer.discount);
}
