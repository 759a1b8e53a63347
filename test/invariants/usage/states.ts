import { quantityOf, storingMs } from './billed';
import { fixedPoint } from '../picture/fixed-point';
import { examineEach, type Invariant } from '../picture/invariant';
import type { Picture, UsageStatePicture } from '../picture/picture';

export const statesCountEvents: Invariant = {
  id: 'I25',
  title: 'the usage of a state = its events',
  examine: (picture) => {
    const known = picture.usageStates.flatMap((state) => {
      const quantity = recount(state, picture);
      return quantity === undefined ? [] : [{ state, quantity }];
    });
    return examineEach(known, ({ state: { customerId, meterId, usage }, quantity }) => [
      fixedPoint(usage) !== quantity &&
        `customer ${customerId}, meter ${meterId}: the state has ${usage} units, not its events`,
    ]);
  },
};

/** Undefined if the quantity cannot be verified from outside, or an event may be on its way. */
function recount(
  { customerId, meterId, periodStart, periodEnd }: UsageStatePicture,
  picture: Picture,
): bigint | undefined {
  const { usageEvents, meters, now } = picture;
  const own = usageEvents.filter(
    (event) => event.customerId === customerId && event.meterId === meterId,
  );
  const storingSince = now.getTime() - storingMs(picture);
  const isOpen = !picture.isManual && own.some((one) => Date.parse(one.receivedAt) > storingSince);
  if (isOpen) return undefined;
  const inPeriod = own.filter(({ timestamp }) => timestamp >= periodStart && timestamp < periodEnd);
  return quantityOf(inPeriod, meters.find(({ id }) => id === meterId)?.aggregation);
}
