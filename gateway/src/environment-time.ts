import type { CallContext } from '@billing/chassis/call-context';
import type { Peers } from './peers';
import { present } from './route';

/** Current time of the environment. A manual clock is read for each request. */
export async function environmentTime(
  call: CallContext,
  { identity }: Pick<Peers, 'identity'>,
): Promise<Date> {
  if (!call.tenant.manualClock) return call.now;
  const { now } = await identity.getClock({}, call);
  return present(now);
}
