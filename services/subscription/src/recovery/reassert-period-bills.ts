import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { isNotFound } from '@billing/kernel/domain-error';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { Changes } from '../change/change-store';
import { type SettlementDependencies, settlesUsage } from '../peer/metering';
import { decisionOn } from '../storage/subscription-store';
import { periodOf } from '../subscription/billing-cycle';
import type { BillPeriod } from '../subscription/command';
import type { Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import { settlementBefore } from '../usage/settlement';
import { atEntryOf, madePeriodBills } from './made-bills';
import type { CycleEndBill } from '../subscription/usage-billing';
import {
  adoptCycleEndUsage,
  adoptPeriodUsage,
  type StandingBill,
  type StandingCycleEnd,
} from './reassert-usage';

// A copy that is 60 s older lacks one settlement, of a manual clock some more.
const billsMax = 2;
const billsOfClockMax = 100;

export interface StandingDependencies extends SettlementDependencies {
  readonly changes: Pick<Changes, 'listAll'>;
}

/** A subscription whose bills are compared with checkout. */
export interface StandingWork {
  readonly stored: Stored<Subscription>;
  readonly context: CallContext;
  readonly dependencies: StandingDependencies;
}

/** Bills that a subscription knows to be made, each list in their order. */
export interface PeriodBills {
  /** Checkout does not have their invoices; that of the end of a cycle may never have existed. */
  readonly missing: readonly (BillPeriod['payload'] | CycleEndBill)[];
  /** The last ones that settle usage and have an invoice in checkout. */
  readonly standing: readonly (StandingBill | StandingCycleEnd)[];
}

/**
 * Compares the bills of periods with the invoices of checkout, which has all up to some period: so
 * the newest that it has ends the search for others.
 */
export async function findPeriodBills(work: StandingWork): Promise<PeriodBills> {
  const { stored, context, dependencies } = work;
  const { state, tenant, createdAt } = stored;
  const { invoiceIdOf } = decisionOn(state.id, tenant, context.now);
  const missing: BillPeriod['payload'][] = [];
  const standing: StandingBill[] = [];
  const standingMax = tenant.manualClock ? billsOfClockMax : billsMax;
  for (const order of madePeriodBills(state, { createdAt, invoiceIdOf })) {
    const invoice = await findInvoice(order.invoiceId, context, dependencies);
    if (invoice === undefined) {
      if (standing.length > 0) break;
      missing.unshift(order);
      continue;
    }
    const { periodIndex } = order;
    const settlement = settlementBefore(periodIndex);
    // Without meters, metering has lost nothing.
    if (!(await settlesUsage(stored, settlement, context, dependencies))) break;
    standing.unshift({ periodIndex, invoice });
    if (standing.length === standingMax) break;
  }
  const ends = await findCycleEnds(work);
  return {
    missing: inOrder([...missing, ...ends.missing]),
    standing: inOrder([...standing, ...ends.standing]),
  };
}

/** Compares the bills of ends of cycles that the subscription knows to be made. */
async function findCycleEnds({ stored, context, dependencies }: StandingWork): Promise<{
  readonly missing: readonly CycleEndBill[];
  readonly standing: readonly StandingCycleEnd[];
}> {
  const { cycleEndBills = [] } = stored.state;
  const missing: CycleEndBill[] = [];
  const standing: StandingCycleEnd[] = [];
  for (const bill of cycleEndBills.filter(({ isBilled }) => isBilled)) {
    const invoice = await findInvoice(bill.invoiceId, context, dependencies);
    if (invoice === undefined) missing.push(bill);
    else standing.push({ endedPeriod: bill.periodIndex, invoice });
  }
  return { missing, standing };
}

type AnyBill = PeriodBills['missing'][number] | PeriodBills['standing'][number];

/** In the order of their settlements. */
function inOrder<Bill extends AnyBill>(bills: readonly Bill[]): Bill[] {
  return bills.toSorted((a, b) => throughOf(a) - throughOf(b));
}

/** The last period whose usage a bill settles. */
function throughOf(bill: AnyBill): number {
  if ('endedPeriod' in bill) return bill.endedPeriod;
  return 'isBilled' in bill ? bill.periodIndex : bill.periodIndex - 1;
}

/** Gives metering the usage of invoices that stand, in the order of their settlements. */
export async function adoptPeriodBills(
  standing: PeriodBills['standing'],
  { stored, context, dependencies }: StandingWork,
): Promise<void> {
  if (standing.length === 0) return;
  const { state } = stored;
  const changes = await changesOf(state, context, dependencies);
  for (const bill of standing) {
    if ('endedPeriod' in bill) {
      const at = atTime(context, periodOf(state, bill.endedPeriod).end);
      await adoptCycleEndUsage(stored, bill, at, dependencies);
      continue;
    }
    const asEntered = atEntryOf(state, bill.periodIndex, changes);
    const at = atTime(context, periodOf(state, bill.periodIndex).start);
    await adoptPeriodUsage({ ...stored, state: asEntered }, bill, at, dependencies);
  }
}

export async function findInvoice(
  id: string,
  context: CallContext,
  { peers }: Pick<StandingDependencies, 'peers'>,
): Promise<Invoice | undefined> {
  try {
    return (await peers.checkout.getInvoice({ id, changeId: undefined }, context)).invoice;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export async function changesOf(
  state: Subscription,
  context: CallContext,
  { changes }: Pick<StandingDependencies, 'changes'>,
): Promise<readonly SubscriptionChange[]> {
  return (await changes.listAll([state], context)).get(state.id) ?? [];
}

/** Context of work at the time when it was first done, where the clock is manual. */
export function atTime(context: CallContext, at: Date): CallContext {
  return context.tenant.manualClock ? { ...context, now: at } : context;
}
