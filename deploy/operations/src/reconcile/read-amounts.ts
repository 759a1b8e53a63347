import type { Db, FindCursor } from 'mongodb';
import { databaseOf, type ServiceDatabase } from '../database/databases';
import type { Finding } from './check';
import {
  type BilledUsage,
  checkAmounts,
  checkUsage,
  fixedPoint,
  type InvoiceAmounts,
  toDecimal,
} from './check-amounts';
import { readDeletedEnvironments } from './deleted-environments';

type Whole = bigint | number;

interface StoredInvoice {
  readonly _id: string;
  readonly environmentId: string;
  readonly isTombstone?: boolean;
  readonly status: string;
  readonly billingReason: string;
  readonly subscriptionId: string | null;
  readonly lineItems: readonly {
    readonly amount: Whole;
    readonly discountAmount?: Whole;
    readonly quantity: string;
    readonly meterId?: string | null;
    readonly itemId?: string | null;
    readonly tax?: { readonly amount: Whole } | null;
  }[];
  readonly discounts?: readonly { readonly amount: Whole }[];
  readonly finalization?: {
    readonly taxes: {
      readonly rows: readonly { readonly base: Whole; readonly amount: Whole }[];
    } | null;
  } | null;
  readonly payments: readonly {
    readonly status: string;
    readonly amount: Whole;
    readonly overpayment?: Whole;
  }[];
  readonly balanceApplied?: Whole;
  readonly creditNotes?: readonly { readonly reduced: Whole }[];
}

interface StoredSettlement {
  readonly environmentId: string;
  readonly subscriptionId: string;
  readonly usages: readonly {
    readonly periodIndex: Whole;
    readonly meterId: string;
    readonly current: { readonly quantity: string };
  }[];
}

/** Usage of an item of a subscription, billed by all of its invoices. */
interface BilledItem {
  readonly subscriptionId: string;
  readonly meterId: string;
  units: bigint;
}

/** Compares the amounts of each invoice, and the usage of all of them with its settlements. */
export async function findWrongAmounts(databases: readonly ServiceDatabase[]): Promise<Finding[]> {
  const living = { environmentId: { $nin: await readDeletedEnvironments(databases) } };
  const findings: Finding[] = [];
  const billed = new Map<string, BilledItem>();
  const projection = { finalization: { parties: 0 }, outbox: 0, searchKeys: 0 };
  const invoices = databaseOf(databases, 'checkout')
    .collection<{ environmentId: string }>('invoices')
    .find(living, { projection });
  for await (const invoice of invoices as unknown as FindCursor<StoredInvoice>) {
    if (invoice.isTombstone === true) continue;
    findings.push(...checkAmounts(amountsOf(invoice)));
    addUsage(billed, invoice);
  }
  const usages = await readUsages(databaseOf(databases, 'metering'), [...billed.values()]);
  return [...findings, ...checkUsage(usages)];
}

function amountsOf(invoice: StoredInvoice): InvoiceAmounts {
  const { _id: id, status, billingReason, lineItems, payments, balanceApplied = 0 } = invoice;
  const { discounts = [], creditNotes = [] } = invoice;
  const rows = invoice.finalization?.taxes?.rows;
  const succeeded = payments.filter((payment) => payment.status === 'SUCCEEDED');
  return {
    ...{ id, status, billingReason, balanceApplied: BigInt(balanceApplied) },
    lines: lineItems.map(({ amount, discountAmount = 0, tax }) => ({
      amount: BigInt(amount),
      discountAmount: BigInt(discountAmount),
      tax: BigInt(tax?.amount ?? 0),
    })),
    discounts: sumOf(discounts.map(({ amount }) => amount)),
    taxes:
      rows === undefined || rows.length === 0
        ? null
        : {
            base: sumOf(rows.map(({ base }) => base)),
            amount: sumOf(rows.map(({ amount }) => amount)),
          },
    paid:
      sumOf(succeeded.map(({ amount }) => amount)) -
      sumOf(succeeded.map(({ overpayment = 0 }) => overpayment)),
    reduced: sumOf(creditNotes.map(({ reduced }) => reduced)),
  };
}

function sumOf(amounts: readonly Whole[]): bigint {
  return amounts.reduce<bigint>((all, amount) => all + BigInt(amount), 0n);
}

// Usage of a void invoice may be billed again.
function addUsage(
  billed: Map<string, BilledItem>,
  { status, subscriptionId, lineItems }: StoredInvoice,
): void {
  if (status === 'VOID' || subscriptionId === null) return;
  for (const { meterId = null, itemId, quantity } of lineItems) {
    if (meterId === null) continue;
    // Items of one meter bill the same usage.
    const key = `${subscriptionId} ${meterId} ${itemId ?? ''}`;
    const item = billed.get(key) ?? { subscriptionId, meterId, units: 0n };
    item.units += fixedPoint(quantity);
    billed.set(key, item);
  }
}

/**
 * The settled usage of each item. Of several settlements of a period the largest counts: usage that
 * turns out to be less is not always credited.
 */
async function readUsages(metering: Db, items: readonly BilledItem[]): Promise<BilledUsage[]> {
  const subscriptions = new Set(items.map(({ subscriptionId }) => subscriptionId));
  const ofPeriods = new Map<string, bigint>();
  const settled = new Map<string, bigint>();
  const settlements = metering.collection<StoredSettlement>('usageSettlements').find({});
  for await (const { subscriptionId, usages } of settlements) {
    if (!subscriptions.has(subscriptionId)) continue;
    for (const { periodIndex, meterId, current } of usages) {
      const key = `${subscriptionId} ${meterId}`;
      const ofPeriod = `${key} ${String(periodIndex)}`;
      const known = ofPeriods.get(ofPeriod) ?? 0n;
      const units = fixedPoint(current.quantity);
      if (units <= known) continue;
      ofPeriods.set(ofPeriod, units);
      settled.set(key, (settled.get(key) ?? 0n) + units - known);
    }
  }
  return items.map(({ subscriptionId, meterId, units }) => ({
    ...{ subscriptionId, meterId, billed: toDecimal(units) },
    settled: toDecimal(settled.get(`${subscriptionId} ${meterId}`) ?? 0n),
  }));
}
