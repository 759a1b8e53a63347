import type { Collection, Db, Filter, FindCursor } from 'mongodb';
import { databaseOf, type ServiceDatabase } from '../database/databases';
import type {
  BalanceSums,
  NumberSeries,
  RedemptionSums,
  RefundedPayment,
  RepeatedCharge,
  Sums,
} from './check-sums';
import { readDeletedEnvironments } from './deleted-environments';

/** The database returns whole numbers in any of these types. */
type Whole = number | bigint;

interface Owned {
  readonly _id: string;
  readonly environmentId: string;
}

interface StoredInvoice extends Owned {
  readonly payments?: readonly {
    readonly id: string;
    readonly provider: string;
    readonly providerPaymentId?: string | null;
    readonly status: string;
    readonly amount: Whole;
  }[];
  readonly refunds?: readonly {
    readonly paymentId: string;
    readonly providerRefundId?: string | null;
    readonly status: string;
    readonly amount: Whole;
  }[];
}

interface Owner {
  readonly environmentId: string;
  readonly customerId: string;
  readonly currency: string;
}

interface StoredEntry extends Owner {
  readonly amount: Whole;
  /** 0: a tombstone, which prevents a later posting. */
  readonly sequence: Whole;
}

interface StoredBalance extends Owner {
  readonly _id: string;
  readonly balance: Whole;
  readonly sequence: Whole;
  /** Those that may not have a document of their own yet. */
  readonly pendingEntries: readonly (Omit<StoredEntry, 'environmentId'> & {
    readonly id: string;
  })[];
}

interface StoredNumber extends Owned {
  readonly number: Whole;
  readonly series?: string;
}

interface StoredSlot {
  readonly discountId: string;
  readonly state: string;
}

interface StoredDiscount {
  readonly _id: string;
  readonly maxRedemptions: Whole | null;
}

/**
 * Reads the sums that the check of a closed system compares. Environments whose deletion has begun
 * are left out: parts of them are gone.
 */
export async function readSums(databases: readonly ServiceDatabase[]): Promise<Sums> {
  const checkout = databaseOf(databases, 'checkout');
  const living = { environmentId: { $nin: await readDeletedEnvironments(databases) } };
  return {
    ...(await readPayments(checkout, living)),
    balances: await readBalances(checkout, living),
    series: [
      ...(await readSeries('invoice', checkout.collection('invoiceNumbers'), living)),
      ...(await readSeries('credit note', checkout.collection('creditNoteNumbers'), living)),
    ],
    redemptions: await readRedemptions(databaseOf(databases, 'discount'), living),
  };
}

/** Payments that no provider knows. */
const uncharged: ReadonlySet<string> = new Set(['external', 'balance', 'none']);

async function readPayments(
  db: Db,
  ofLivingEnvironments: Filter<Owned>,
): Promise<Pick<Sums, 'repeatedCharges' | 'refundedPayments'>> {
  const first = new Map<string, string>();
  const repeatedCharges: RepeatedCharge[] = [];
  const refundedPayments: RefundedPayment[] = [];
  const projection = { environmentId: 1, payments: 1, refunds: 1 };
  const invoices = db.collection<Owned>('invoices').find(ofLivingEnvironments, { projection });
  for await (const invoice of invoices as FindCursor<StoredInvoice>) {
    refundedPayments.push(...refundedOf(invoice));
    for (const { provider, providerPaymentId } of chargesOf(invoice)) {
      const key = `${invoice.environmentId} ${provider} ${providerPaymentId}`;
      const known = first.get(key);
      if (known === undefined) first.set(key, invoice._id);
      else repeatedCharges.push({ providerPaymentId, invoiceIds: [known, invoice._id] });
    }
  }
  return { repeatedCharges, refundedPayments };
}

function chargesOf({ payments = [] }: StoredInvoice) {
  return payments.flatMap(({ provider, status, providerPaymentId }) =>
    status === 'SUCCEEDED' && typeof providerPaymentId === 'string' && !uncharged.has(provider)
      ? [{ provider, providerPaymentId }]
      : [],
  );
}

function refundedOf({ _id: invoiceId, payments = [], refunds = [] }: StoredInvoice) {
  // The provider may refuse a refund that it does not know yet.
  const made = refunds.filter(
    ({ status, providerRefundId }) =>
      status === 'SUCCEEDED' || (status === 'PENDING' && typeof providerRefundId === 'string'),
  );
  return payments.flatMap(({ id: paymentId, amount }): RefundedPayment[] => {
    const own = made.filter((refund) => refund.paymentId === paymentId);
    if (own.length === 0) return [];
    const refunded = own.reduce((sum, refund) => sum + BigInt(refund.amount), 0n);
    return [{ invoiceId, paymentId, refunded, paid: BigInt(amount) }];
  });
}

interface EntrySum {
  amount: bigint;
  count: number;
}

async function readBalances(db: Db, ofLivingEnvironments: Filter<Owned>): Promise<BalanceSums[]> {
  const found = await db.collection<Owned>('balances').find(ofLivingEnvironments).toArray();
  const balances = found as unknown as StoredBalance[];
  const pending = new Map(
    balances.flatMap((balance) =>
      balance.pendingEntries.map((entry) => [entry.id, { ...entry, ...ownerOf(balance) }] as const),
    ),
  );
  const sums = new Map<string, EntrySum>();
  const add = (entry: StoredEntry) => {
    // Tombstones have no sequence.
    if (BigInt(entry.sequence) === 0n) return;
    const { amount, count } = sums.get(keyOf(entry)) ?? { amount: 0n, count: 0 };
    sums.set(keyOf(entry), { amount: amount + BigInt(entry.amount), count: count + 1 });
  };
  const entries = db.collection<Owned>('balanceEntries').find(ofLivingEnvironments);
  for await (const entry of entries as FindCursor<StoredEntry & { readonly _id: string }>) {
    pending.delete(entry._id);
    add(entry);
  }
  // Those that have no document of their own yet.
  for (const entry of pending.values()) add(entry);
  return balances.map((balance) => {
    const { amount, count } = sums.get(keyOf(balance)) ?? { amount: 0n, count: 0 };
    const own = { balance: BigInt(balance.balance), sequence: Number(balance.sequence) };
    return { id: balance._id, ...own, entries: amount, count };
  });
}

const ownerOf = ({ environmentId, customerId, currency }: Owner): Owner => {
  return { environmentId, customerId, currency };
};

const keyOf = ({ environmentId, customerId, currency }: Owner): string =>
  `${environmentId} ${customerId} ${currency}`;

async function readSeries(
  noun: string,
  numbers: Collection<StoredNumber>,
  ofLivingEnvironments: Filter<Owned>,
): Promise<NumberSeries[]> {
  const series = new Map<string, NumberSeries>();
  const projection = { environmentId: 1, number: 1, series: 1 };
  const found = numbers.find(ofLivingEnvironments as Filter<StoredNumber>, { projection });
  for await (const { environmentId, number, series: code = null } of found) {
    const key = `${environmentId} ${code ?? ''}`;
    const { count = 0, highest = 0 } = series.get(key) ?? {};
    const known = { noun, environmentId, code };
    series.set(key, { ...known, count: count + 1, highest: Math.max(highest, Number(number)) });
  }
  return [...series.values()];
}

async function readRedemptions(
  db: Db,
  ofLivingEnvironments: Filter<Owned>,
): Promise<RedemptionSums[]> {
  const taken = new Map<string, number>();
  const slots = db.collection<StoredSlot>('redemptionSlots');
  for await (const { discountId } of slots.find({ state: { $ne: 'FREE' } })) {
    taken.set(discountId, (taken.get(discountId) ?? 0) + 1);
  }
  const limited = { ...ofLivingEnvironments, maxRedemptions: { $ne: null } };
  const found = await db
    .collection<StoredDiscount>('discounts')
    .find(limited as object)
    .toArray();
  return found.map(({ _id: discountId, maxRedemptions }) => {
    return { discountId, taken: taken.get(discountId) ?? 0, max: Number(maxRedemptions) };
  });
}
