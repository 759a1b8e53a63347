import type { CallContext } from '@billing/chassis/call-context';
import type { Peers } from './peers';
import { present } from './route';

/** A manual clock is read afresh for each request; a real one is the clock on the wall. */
export async function environmentTime(
  call: CallContext,
  { identity }: Pick<Peers, 'identity'>,
): Promise<Date> {
  if (!call.tenant.manualClock) return call.now;
  const { now } = await identity.getClock({}, call);
  return present(now);
}
