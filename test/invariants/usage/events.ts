import { recountBilledUsage } from './billed';
import { fixedPoint } from '../picture/fixed-point';
import {
  countBy,
  type Examination,
  examineEach,
  type Invariant,
  repeated,
  together,
} from '../picture/invariant';
import type { ClosedCreditsPicture, GrantPicture, Picture } from '../picture/picture';

export const eventsCountOnce: Invariant = {
  id: 'I4',
  title: 'each usage event is stored once and billed once',
  examine: (picture) => together(storedOnce(picture), recountBilledUsage(picture)),
};

/** An event id may be used again after its time, with another timestamp. */
function storedOnce({ usageEvents }: Pick<Picture, 'usageEvents'>): Examination {
  const eventIds = new Map(usageEvents.map(({ id, eventId }) => [`${id} ${eventId}`, id]));
  return {
    examined: usageEvents.length,
    findings: [
      ...repeated(usageEvents.map(({ eventId, timestamp }) => `${eventId} of ${timestamp}`)).map(
        ([event, count]) => `usage event ${event} occurs ${String(count)} times`,
      ),
      ...repeated([...eventIds.values()]).map(
        ([id, count]) => `the id ${id} belongs to ${String(count)} usage events`,
      ),
    ],
  };
}

export const creditsAreConserved: Invariant = {
  id: 'I5',
  title: 'credits granted = consumed + remaining or expired, none below 0, none billed twice',
  examine: ({ grants, invoices }) => {
    const burned = new Map<string, bigint>();
    // A voided line is billed again by another invoice.
    const lines = invoices
      .filter(({ status }) => status !== 'VOID')
      .flatMap(({ lineItems }) => lineItems);
    for (const { grantId, quantity } of lines.flatMap(
      ({ details }) => details?.creditsUsed ?? [],
    )) {
      burned.set(grantId, (burned.get(grantId) ?? 0n) + fixedPoint(quantity));
    }
    return examineEach(grants, (grant) => grantProblems(grant, burned.get(grant.id) ?? 0n));
  },
};

function grantProblems(grant: GrantPicture, burned: bigint): (string | false)[] {
  const { id, amount, consumed, remaining } = grant;
  const isWhole = fixedPoint(consumed) + fixedPoint(remaining) === fixedPoint(amount);
  return [
    !isWhole && `grant ${id}: ${amount} ≠ ${consumed} consumed + ${remaining} remaining`,
    fixedPoint(remaining) < 0n && `grant ${id}: ${remaining} remaining`,
    fixedPoint(consumed) < 0n && `grant ${id}: ${consumed} consumed`,
    burned > fixedPoint(amount) && `grant ${id}: invoices burn more of it than ${amount}`,
  ];
}

export const eventsAreInTotals: Invariant = {
  id: 'I26',
  title: 'no usage event of a complete epoch is outside of both total and part',
  examine: ({ storedUsage }) =>
    storedUsage && { examined: storedUsage.searchedEvents, findings: storedUsage.uncounted },
};

export const totalsAddUp: Invariant = {
  id: 'I27',
  title: 'total and minutes of a stored hour of usage = its events, a span = its hours and cuts',
  examine: ({ storedUsage }) =>
    storedUsage && { examined: storedUsage.compared, findings: storedUsage.mismatches },
};

export const acknowledgedEventsExistOnce: Invariant = {
  id: 'I28',
  title: 'each acknowledged usage event is stored exactly once in all months',
  examine: ({ acknowledgedEvents, usageEvents }) => {
    const stored = countBy(usageEvents.map(({ eventId }) => eventId));
    return (
      acknowledgedEvents &&
      examineEach(acknowledgedEvents, (eventId) => {
        const count = stored.get(eventId) ?? 0;
        return [
          count !== 1 && `acknowledged usage event ${eventId} is stored ${String(count)} times`,
        ];
      })
    );
  },
};

export const closedCreditsAddUp: Invariant = {
  id: 'I29',
  title: 'sums of closed credits = their grants, granted = consumed + expired',
  examine: ({ grants, closedCredits }) =>
    closedCredits && examineEach(closedCredits, (sums) => closedProblems(sums, grants)),
};

function closedProblems(
  sums: ClosedCreditsPicture,
  grants: readonly GrantPicture[],
): (string | false)[] {
  const { customerId, meterId, openGrantIds, count, granted, consumed, expired } = sums;
  const open = new Set(openGrantIds);
  const closed = grants.filter(
    (grant) => grant.customerId === customerId && grant.meterId === meterId && !open.has(grant.id),
  );
  const total = (field: 'amount' | 'consumed' | 'remaining') =>
    closed.reduce((sum, grant) => sum + fixedPoint(grant[field]), 0n);
  const account = `customer ${customerId}, meter ${meterId}`;
  const isOff = (sum: string, field: 'amount' | 'consumed' | 'remaining') =>
    fixedPoint(sum) !== total(field);
  return [
    closed.length !== count &&
      `${account}: ${String(closed.length)} closed grants, not ${String(count)}`,
    isOff(granted, 'amount') && `${account}: closed grants are not of ${granted} units`,
    isOff(consumed, 'consumed') && `${account}: closed grants have not consumed ${consumed}`,
    isOff(expired, 'remaining') && `${account}: closed grants have not left ${expired}`,
    fixedPoint(granted) !== fixedPoint(consumed) + fixedPoint(expired) &&
      `${account}: ${granted} granted ≠ ${consumed} consumed + ${expired} expired`,
  ];
}
