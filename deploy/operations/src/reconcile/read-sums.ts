import type { Collection, Db } from 'mongodb';
import { databaseOf, type ServiceDatabase } from '../database/databases';
import type { BalanceSums, ChargedInvoice, NumberSeries, RedemptionSums, Sums } from './check-sums';

/** The database returns whole numbers in any of these types. */
type Whole = number | bigint;

interface StoredPayment {
  readonly id: string;
  readonly provider: string;
  readonly status: string;
  readonly amount: Whole;
  readonly overpayment?: Whole;
}

interface StoredInvoice {
  readonly _id: string;
  readonly payments?: readonly StoredPayment[];
  readonly refunds?: readonly {
    readonly paymentId: string;
    readonly status: string;
    readonly amount: Whole;
  }[];
}

interface StoredEntry {
  readonly customerId: string;
  readonly currency: string;
  readonly amount: Whole;
  /** 0: a tombstone, which prevents a later posting. */
  readonly sequence: Whole;
}

interface StoredBalance {
  readonly _id: string;
  readonly environmentId: string;
  readonly customerId: string;
  readonly currency: string;
  readonly balance: Whole;
  readonly sequence: Whole;
  /** Those that may not have a document of their own yet. */
  readonly pendingEntries: readonly (StoredEntry & { readonly id: string })[];
}

interface StoredNumber {
  readonly environmentId: string;
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

/** Reads the sums that the check of a closed system compares. */
export async function readSums(databases: readonly ServiceDatabase[]): Promise<Sums> {
  const checkout = databaseOf(databases, 'checkout');
  return {
    chargedInvoices: await readCharged(checkout),
    balances: await readBalances(checkout),
    series: [
      ...(await readSeries('invoice', checkout.collection('invoiceNumbers'))),
      ...(await readSeries('credit note', checkout.collection('creditNoteNumbers'))),
    ],
    redemptions: await readRedemptions(databaseOf(databases, 'discount')),
  };
}

/** Payments without a charge. */
const uncharged: ReadonlySet<string> = new Set(['external', 'balance', 'none']);
const returned: ReadonlySet<string> = new Set(['PENDING', 'SUCCEEDED']);

async function readCharged(db: Db): Promise<ChargedInvoice[]> {
  const invoices = db.collection<StoredInvoice>('invoices');
  const projection = { payments: 1, refunds: 1 };
  const charged: ChargedInvoice[] = [];
  for await (const stored of invoices.find({ 'payments.0': { $exists: true } }, { projection })) {
    charged.push(toCharged(stored));
  }
  return charged;
}

function toCharged({ _id: id, payments = [], refunds = [] }: StoredInvoice): ChargedInvoice {
  const paying = payments.filter(
    ({ provider, status, amount, overpayment = 0 }) =>
      status === 'SUCCEEDED' &&
      !uncharged.has(provider) &&
      // Nothing is charged where a method is verified.
      BigInt(amount) > 0n &&
      BigInt(overpayment) < BigInt(amount),
  );
  const refundedPayments = payments.map(({ id: paymentId, amount }) => {
    const own = refunds.filter((one) => one.paymentId === paymentId && returned.has(one.status));
    return { paymentId, refunded: sumOf(own.map((one) => one.amount)), paid: BigInt(amount) };
  });
  return { id, charges: paying.length, refunds: refundedPayments };
}

async function readBalances(db: Db): Promise<BalanceSums[]> {
  const entries = db.collection<StoredEntry & { readonly _id: string }>('balanceEntries');
  const sums: BalanceSums[] = [];
  for await (const stored of db.collection<StoredBalance>('balances').find()) {
    const { _id: id, environmentId, customerId, currency, pendingEntries } = stored;
    const own = await entries.find({ environmentId, customerId, currency }).toArray();
    const byId = new Map<string, StoredEntry>([
      ...pendingEntries.map((entry) => [entry.id, entry] as const),
      ...own.map((entry) => [entry._id, entry] as const),
    ]);
    const shown = [...byId.values()].filter(({ sequence }) => BigInt(sequence) > 0n);
    sums.push({
      id,
      balance: BigInt(stored.balance),
      entries: sumOf(shown.map(({ amount }) => amount)),
      sequence: Number(stored.sequence),
      count: shown.length,
    });
  }
  return sums;
}

async function readSeries(
  noun: string,
  numbers: Collection<StoredNumber>,
): Promise<NumberSeries[]> {
  const series = new Map<string, NumberSeries>();
  const projection = { environmentId: 1, number: 1, series: 1 };
  for await (const { environmentId, number, series: code = null } of numbers.find(
    {},
    { projection },
  )) {
    const key = `${environmentId} ${code ?? ''}`;
    const { count = 0, highest = 0 } = series.get(key) ?? {};
    const known = { noun, environmentId, code };
    series.set(key, { ...known, count: count + 1, highest: Math.max(highest, Number(number)) });
  }
  return [...series.values()];
}

async function readRedemptions(db: Db): Promise<RedemptionSums[]> {
  const taken = new Map<string, number>();
  const slots = db.collection<StoredSlot>('redemptionSlots');
  for await (const { discountId } of slots.find({ state: { $ne: 'FREE' } })) {
    taken.set(discountId, (taken.get(discountId) ?? 0) + 1);
  }
  const limited = db.collection<StoredDiscount>('discounts');
  const found = await limited.find({ maxRedemptions: { $ne: null } }).toArray();
  return found.map(({ _id: discountId, maxRedemptions }) => {
    return { discountId, taken: taken.get(discountId) ?? 0, max: Number(maxRedemptions) };
  });
}

function sumOf(amounts: readonly Whole[]): bigint {
  return amounts.reduce<bigint>((sum, amount) => sum + BigInt(amount), 0n);
}
