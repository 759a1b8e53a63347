import { monthOf, monthsUntil } from './dates';

interface TaxRow {
  readonly reason: string;
  readonly name: string | null;
  readonly country: string;
  readonly state: string | null;
  readonly percent: string;
  readonly base: number;
  readonly amount: number;
}

interface Sum {
  readonly amount: number;
  readonly currency: string;
}

/** The fields of an invoice, as in REST, that the reports on money depend on. */
export interface IssuedRow {
  readonly status: string;
  readonly currency: string;
  readonly total: number;
  readonly tax: number;
  readonly taxes: readonly TaxRow[];
  readonly taxStatus: string;
  readonly finalizedAt: string | null;
  /** A void is the last change of an invoice. */
  readonly updatedAt: string;
  readonly payments: readonly (Sum & {
    readonly status: string;
    readonly provider: string;
    readonly createdAt: string;
  })[];
}

/** Everything that the reports on money count, as in REST. */
export interface MoneyRows {
  readonly invoices: readonly IssuedRow[];
  readonly creditNotes: readonly {
    readonly currency: string;
    readonly total: number;
    readonly taxes: readonly TaxRow[];
    readonly issuedAt: string;
  }[];
  readonly refunds: readonly (Sum & {
    readonly status: string;
    readonly settledAt: string | null;
  })[];
  readonly disputes: readonly (Sum & {
    readonly status: string;
    readonly closedAt: string | null;
  })[];
  readonly entries: readonly (Sum & { readonly customerId: string; readonly createdAt: string })[];
}

const paymentSums = [
  'invoiced',
  'tax',
  'voided',
  'credited',
  'collected',
  'external',
  'refunded',
  'disputesLost',
  'balanceIn',
  'balanceOut',
] as const;
type PaymentSum = (typeof paymentSums)[number];

/** An amount that counts at a time. */
interface Movement {
  readonly name: PaymentSum;
  readonly at: string;
  readonly currency: string;
  readonly amount: number;
}

/** `GET /dashboard/api/reports/payments`, recounted from single documents. */
export function paymentsOf(rows: MoneyRows, { now, months }: { now: Date; months: number }) {
  const shown = monthsUntil(now, months);
  const movements = movementsOf(rows).filter(({ at }) => shown.includes(monthOf(new Date(at))));
  const data = [...Map.groupBy(movements, ({ currency }) => currency)]
    .sort()
    .map(([currency, all]) => ({
      currency,
      months: shown.map((month) => {
        const ofMonth = all.filter(({ at }) => monthOf(new Date(at)) === month);
        const sumOf = (name: PaymentSum) =>
          ofMonth.filter((one) => one.name === name).reduce((sum, { amount }) => sum + amount, 0);
        return { month, ...Object.fromEntries(paymentSums.map((name) => [name, sumOf(name)])) };
      }),
    }));
  return { data };
}

function movementsOf(rows: MoneyRows): Movement[] {
  const found: Movement[] = [];
  const add = (name: PaymentSum, at: string | null, { currency, amount }: Sum) => {
    if (at !== null) found.push({ name, at, currency, amount });
  };
  for (const { status, currency, total, tax, finalizedAt, updatedAt, payments } of rows.invoices) {
    if (finalizedAt !== null) {
      add('invoiced', finalizedAt, { currency, amount: total });
      add('tax', finalizedAt, { currency, amount: tax });
      if (status === 'VOID') add('voided', updatedAt, { currency, amount: total });
    }
    for (const payment of payments.filter((one) => one.status === 'SUCCEEDED')) {
      const { provider, createdAt } = payment;
      if (provider === 'balance') continue;
      add(provider === 'external' ? 'external' : 'collected', createdAt, payment);
    }
  }
  for (const { issuedAt, currency, total } of rows.creditNotes) {
    add('credited', issuedAt, { currency, amount: total });
  }
  for (const refund of rows.refunds) {
    if (refund.status === 'SUCCEEDED') add('refunded', refund.settledAt, refund);
  }
  for (const dispute of rows.disputes) {
    if (dispute.status === 'LOST') add('disputesLost', dispute.closedAt, dispute);
  }
  for (const { amount, currency, createdAt } of rows.entries) {
    const name = amount < 0 ? 'balanceOut' : 'balanceIn';
    add(name, createdAt, { currency, amount: Math.abs(amount) });
  }
  return found;
}

const keys = ['currency', 'country', 'state', 'reason', 'name', 'percent'] as const;

/** `GET /tax-report`, recounted from the tax rows of single documents in [from, to). */
export function taxReportOf(
  { invoices, creditNotes }: MoneyRows,
  { from, to }: { from: string; to: string },
) {
  const isWithin = (at: string | null) => at !== null && at >= from && at < to;
  const final = invoices.filter(({ taxStatus }) => taxStatus === 'FINAL');
  const counted = [
    ...partsOf(
      final.filter(({ finalizedAt }) => isWithin(finalizedAt)),
      1,
      { invoices: 1 },
    ),
    ...partsOf(
      final.filter(({ status, updatedAt }) => status === 'VOID' && isWithin(updatedAt)),
      -1,
      { invoices: -1 },
    ),
    ...partsOf(
      creditNotes.filter(({ issuedAt }) => isWithin(issuedAt)),
      -1,
      { creditNotes: 1 },
    ),
  ];
  const rows = [...Map.groupBy(counted, (part) => JSON.stringify(keys.map((key) => part[key])))];
  return rows
    .map(([, parts]) =>
      parts.reduce((sum, part) => ({
        ...sum,
        base: sum.base + part.base,
        tax: sum.tax + part.tax,
        invoices: sum.invoices + part.invoices,
        creditNotes: sum.creditNotes + part.creditNotes,
      })),
    )
    .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
}

function partsOf(
  documents: readonly { readonly currency: string; readonly taxes: readonly TaxRow[] }[],
  sign: number,
  counts: { readonly invoices?: number; readonly creditNotes?: number },
) {
  return documents.flatMap(({ currency, taxes }) =>
    taxes.map(({ country, state, reason, name, percent, base, amount }) => ({
      ...{ currency, country, state, reason, name, percent },
      ...{ base: sign * base, tax: sign * amount },
      ...{ invoices: counts.invoices ?? 0, creditNotes: counts.creditNotes ?? 0 },
    })),
  );
}

function sortKey(row: Readonly<Record<(typeof keys)[number], string | null>>): string {
  return keys.map((key) => row[key] ?? '').join('\u0000');
}

/** Balances of customers, recounted from their entries, in order of customer and currency. */
export function balancesOf({ entries }: Pick<MoneyRows, 'entries'>) {
  const owners = Map.groupBy(entries, ({ customerId, currency }) => `${customerId} ${currency}`);
  return [...owners].sort().map(([owner, all]) => ({
    owner,
    balance: all.reduce((sum, { amount }) => sum + amount, 0),
  }));
}

/** Balances as they are listed, in the same order. */
export function shownBalances(
  balances: readonly { readonly customerId: string; currency: string; balance: number }[],
) {
  return balances
    .map(({ customerId, currency, balance }) => ({ owner: `${customerId} ${currency}`, balance }))
    .toSorted((one, other) => (one.owner < other.owner ? -1 : 1));
}
