import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, type Tenant, timelineOf } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import {
  type CountedDocument,
  RunningTotals,
  type TotalsDefinition,
  type Addend,
  type Totals,
} from '@billing/chassis/running-totals';
import type { Service } from '@billing/chassis/service';
import { parkedFor, type ParkReason } from '../parking/parking';
import type { Subscription } from '../subscription/subscription';
import { isChangeStep, isReportedStep, type ReportedStep } from '../subscription/reached-step';
import { addendOf, type Recurring, type RevenueItem, type RevenueRow } from './recurring-revenue';
import type { RevenueStep } from '../subscription/subscription-change';
import type { RevenueSums } from './revenue-report';
import { subscriptionsWith } from '../storage/subscription-store';
import type { SubscriptionRecord } from '../subscription/tombstone';

type Within = Pick<CallContext, 'tenant' | 'now'>;

const parkReasons: readonly ParkReason[] = ['OPEN_INVOICES', 'INVOICES_A_DAY', 'USAGE_TOO_LARGE'];
const parkedMax = 20;

/** A subscription that is not renewed, or not billed. */
export interface ParkedSubscription {
  readonly subscription: Subscription;
  readonly reason: ParkReason;
}

const priceFields = ['type', 'amount', 'tiers', 'currency', 'billingInterval', 'intervalCount'];

type Steps = Partial<Record<ReportedStep, ReportedStep>>;

/** Running totals over all subscriptions. */
const revenueTotals: TotalsDefinition = {
  collection: 'revenueTotals',
  revision: 5,
  follows: { TRIAL_LEFT: 'TRIAL_BEGUN', ENDED: 'STARTED' } satisfies Steps,
  fields: [
    ...['anchor', 'endedAt', 'pausedAt', 'items.quantity'],
    ...['changes.startedAmount', 'changes.revenue'],
    ...priceFields.map((field) => `items.price.${field}`),
    // Documents of earlier releases have one price, not items.
    ...['quantity', ...priceFields.map((field) => `price.${field}`)],
  ],
  addendsOf: (document, step) => (isCounted(document, step) ? [toAddend(document, step)] : []),
};

/** Reads figures about subscriptions. */
export class ReportStore {
  private readonly totals: RunningTotals;

  constructor(
    { db, clock }: Pick<Service, 'db' | 'clock'>,
    private readonly records: AggregateCollection<SubscriptionRecord>,
  ) {
    this.totals = new RunningTotals(db, records, revenueTotals, clock);
  }

  /** Recurring revenue and its changes, and the number of subscriptions in their trial. */
  async revenue({
    tenant,
  }: Pick<Within, 'tenant'>): Promise<{ months: RevenueSums[]; trialing: bigint }> {
    const totals = await this.totals.read(tenant);
    return {
      months: monthsOf(totals),
      trialing: totals.get(rowKey({ kind: 'PRESENT' }))?.trialing ?? 0n,
    };
  }

  /** Number of past-due subscriptions among those in the sums. The cost grows with this number. */
  countPastDue({ tenant }: Pick<Within, 'tenant'>): Promise<number> {
    const summed = { 'milestones.STARTED': { $exists: true } };
    return this.count(tenant, { ...subscriptionsWith({ status: 'PAST_DUE' }), ...summed });
  }

  /**
   * Number of subscriptions that enter a billed period before `renewsBefore`. The cost grows with
   * the number of steps due by then.
   */
  countRenewals({ tenant }: Pick<Within, 'tenant'>, renewsBefore: Date): Promise<number> {
    // The index of due steps begins with the timeline.
    const timeline = timelineOf(tenant);
    return this.count(tenant, { ...subscriptionsWith({ renewsBefore }), timeline });
  }

  /** The newest parked subscriptions, at most 20; `isMore` if there are more of them. */
  async parked(context: Within): Promise<{ parked: ParkedSubscription[]; isMore: boolean }> {
    const page = { page: 1, perPage: parkedMax };
    // One list per reason. For `$in`, some servers walk the index of all subscriptions instead.
    const lists = await Promise.all(
      parkReasons.map((reason) =>
        this.records.within(context).list({ filter: { parkedFor: reason }, ...page }),
      ),
    );
    const data = lists
      .flatMap((list) => list.data)
      .sort(newestFirst)
      .slice(0, parkedMax);
    const total = lists.reduce((sum, list) => sum + list.total, 0);
    const parked = data.flatMap(({ state }) => {
      const reason = state.isTombstone ? null : parkedFor(state);
      return state.isTombstone || reason === null ? [] : [{ subscription: state, reason }];
    });
    return { parked, isMore: total > data.length };
  }

  /** Brings the totals up to date; runs repeatedly, so that reads stay cheap. */
  updateSnapshots(signal: AbortSignal): Promise<void> {
    return this.totals.updateSnapshots(signal);
  }

  private count({ environmentId }: Tenant, filter: Record<string, unknown>): Promise<number> {
    return retryTransient(() =>
      this.records.documents.countDocuments({ ...filter, environmentId }),
    );
  }
}

function newestFirst(a: Stored<SubscriptionRecord>, b: Stored<SubscriptionRecord>): number {
  const apart = b.createdAt.getTime() - a.createdAt.getTime();
  return apart === 0 ? (a.state.id < b.state.id ? 1 : -1) : apart;
}

// A change follows the start of its subscription; see `follows`.
function isCounted({ milestones }: CountedDocument, step: string): step is ReportedStep {
  if (!isReportedStep(step)) return false;
  return !isChangeStep(step) || milestones?.STARTED !== undefined;
}

type Count = number | bigint;

interface ItemDocument {
  readonly quantity: Count;
  readonly price: Omit<RevenueItem['price'], 'amount' | 'intervalCount'> & {
    readonly amount: Count;
    readonly intervalCount: Count;
  };
}

type RecurringDocument = Pick<Recurring, 'anchor' | 'endedAt'> &
  Partial<ItemDocument> & {
    /** Absent in documents of earlier releases. */
    readonly pausedAt?: Date | null;
    readonly items?: readonly ItemDocument[];
    readonly changes?: {
      readonly startedAmount: Count | null;
      readonly revenue: readonly {
        readonly at: Date;
        readonly before: Count;
        readonly after: Count;
        readonly kind?: RevenueStep['kind'];
      }[];
    };
  };

function toAddend(document: CountedDocument, step: ReportedStep): Addend {
  const { anchor, endedAt, pausedAt, items, changes, ...only } =
    document as unknown as RecurringDocument;
  const [main, ...others] = (items ?? [only]).map(toRevenueItem);
  if (main === undefined) throw new Error('A subscription has no items');
  const { startedAmount = null, revenue = [] } = changes ?? {};
  const recurring: Recurring = {
    anchor,
    endedAt,
    pausedAt: pausedAt ?? null,
    items: [main, ...others],
    startedAmount: startedAmount === null ? null : BigInt(startedAmount),
    revenue: revenue.map(({ at, before, after, kind = 'UPDATE' }) => ({
      at,
      kind,
      before: BigInt(before),
      after: BigInt(after),
    })),
  };
  const { row, counts } = addendOf(recurring, step);
  return { row: rowKey(row), counts };
}

function toRevenueItem({ quantity, price }: Partial<ItemDocument>): RevenueItem {
  if (quantity === undefined || price === undefined) throw new Error('A subscription has a price');
  const { amount, intervalCount } = price;
  return {
    quantity: Number(quantity),
    price: { ...price, amount: BigInt(amount), intervalCount: Number(intervalCount) },
  };
}

const present = 'present';

function rowKey(row: RevenueRow): string {
  return row.kind === 'PRESENT' ? present : `${row.month} ${row.currency}`;
}

function monthsOf(totals: Totals): RevenueSums[] {
  return [...totals]
    .filter(([row]) => row !== present)
    .map(([row, counts]) => {
      const [month = '', currency = ''] = row.split(' ');
      const { started = 0n, startedAmount = 0n, ended = 0n, endedAmount = 0n } = counts;
      const { expansion = 0n, contraction = 0n, reactivation = 0n } = counts;
      const grown = { expansion, contraction, reactivation };
      return { month, currency, started, startedAmount, ended, endedAmount, ...grown };
    });
}
