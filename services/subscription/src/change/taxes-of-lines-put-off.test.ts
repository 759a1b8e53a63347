import fc from 'fast-check';
import { testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { sumOf } from '@billing/kernel/money';
import { creditWithTax } from '@billing/kernel/proration/credit-lines';
import {
  type CreateInvoiceRequest,
  type Invoice,
  InvoiceStatus,
  type LineItem,
} from '@billing/proto/billing/checkout/v1/checkout';
import { periodBill } from '../billing/bill';
import { requestChange } from '../lifecycle/apply-change';
import { cancel, creditsOf } from '../lifecycle/cancellation';
import { planChange } from '../lifecycle/plan-change';
import { takeDueStep } from '../lifecycle/due-steps';
import { toProtoChangeInvoice, toProtoNewInvoice } from '../peer/checkout';
import type { Peers } from '../peer/peers';
import { putOffOn, waitingPutOff } from '../subscription/put-off';
import { currentPeriod, mainItem, type Subscription } from '../subscription/subscription';
import type { ChangeCreditNote } from '../subscription/subscription-change';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { fetchPeriodInvoices } from './find-period-facts';
import { checkEndBill, readPlanQuote } from './read-quote';

const categoryOf = (productId: string) => (productId.startsWith('reduced') ? 'reduced' : null);

/** Checkout with two tax rates: 7 % for products of the category `reduced`, 20 % for all others. */
class TaxingCheckout {
  readonly invoices: Invoice[] = [];
  private readonly percents = new Map<string, bigint>();
  private readonly left = new Map<string, bigint>();

  /** Throws for a total below 0, as checkout does. */
  taxed(request: CreateInvoiceRequest): Invoice {
    const invoice = anInvoice(request, InvoiceStatus.INVOICE_STATUS_PAID);
    const lineItems = invoice.lineItems.map((line) => {
      const net = line.amount - line.discountAmount;
      return { ...line, total: net + rounded(net * this.percentOf(line)) };
    });
    const total = sumOf(lineItems.map((line) => line.total));
    if (total < 0n) throw new DomainError('invalid_input', 'NEGATIVE', 'Total below 0');
    return { ...invoice, lineItems, total };
  }

  create(request: CreateInvoiceRequest): Invoice {
    const invoice = this.taxed(request);
    for (const line of invoice.lineItems) {
      this.percents.set(line.id, this.percentOf(line));
      this.left.set(line.id, line.total);
    }
    this.invoices.push(invoice);
    return invoice;
  }

  credit(notes: readonly ChangeCreditNote[]): void {
    for (const { invoiceId, lines } of notes) {
      const { lineItems } = this.find(invoiceId);
      for (const { lineItemId, priced } of lines) {
        const line = lineItems.find(({ id }) => id === lineItemId);
        if (line === undefined) throw new Error('No such line');
        const of = { priced: line.amount - line.discountAmount, total: line.total };
        const left = this.leftOf(line);
        const leftOfAll = sumOf(lineItems.map((one) => this.leftOf(one)));
        this.left.set(lineItemId, left - creditWithTax(of, priced, { left, leftOfAll }));
      }
    }
  }

  async factsOf(subscription: Subscription) {
    const { changes, periodIndex } = subscription;
    const { period } = changes;
    const isChanged = period !== null && period.periodIndex === periodIndex;
    const ids = isChanged ? period.invoiceIds : [invoiceIdOf(periodIndex ?? 0)];
    const found = await fetchPeriodInvoices(ids.toReversed(), subscription, {
      ...{ changeId: 'change', context: testContext(), peers: this.peers },
    });
    return {
      periodIndex: periodIndex ?? 0,
      invoices: found.flatMap(({ invoice }) => invoice ?? []),
    };
  }

  readonly peers = {
    checkout: {
      getInvoice: ({ id }: { readonly id: string }) => {
        const invoice = this.find(id);
        const left = invoice.lineItems.map((line) => ({ amount: this.leftOf(line) }));
        return Promise.resolve({ invoice, left, reservedByOtherChange: false });
      },
    },
    quotes: {
      quote: async (invoice: CreateInvoiceRequest) => {
        const { total, lineItems } = await Promise.resolve(this.taxed(invoice));
        return { total, lineItems, balanceApplied: 0n };
      },
    },
    customers: { find: () => Promise.resolve(undefined) },
  } as never as Pick<Peers, 'checkout' | 'customers' | 'quotes'>;

  private find(id: string): Invoice {
    const found = this.invoices.find((invoice) => invoice.id === id);
    if (found === undefined) throw new Error(`No invoice ${id}`);
    return found;
  }

  private leftOf({ id }: LineItem): bigint {
    return this.left.get(id) ?? 0n;
  }

  private percentOf({ taxedAs, taxCategory }: LineItem): bigint {
    const source = taxedAs === undefined ? undefined : this.percents.get(taxedAs.lineItemId);
    return source ?? (taxCategory === 'reduced' ? 7n : 20n);
  }
}

function rounded(hundredfold: bigint): bigint {
  const half = hundredfold < 0n ? -50n : 50n;
  return (hundredfold + half) / 100n;
}

const creditNoteIdOf = (invoiceId: string) => `note-${invoiceId}`;

/** A subscription with its invoices, which are all paid. */
class Life {
  readonly checkout = new TaxingCheckout();

  private constructor(public subscription: Subscription) {}

  static begun(amount: bigint): Life {
    const price = aPrice({ amount });
    const life = new Life({
      ...aSubscription({}, { ...at(day('06-01')), price }),
      openInvoices: [],
      latestInvoice: { id: invoiceIdOf(0), periodIndex: 0 },
    });
    life.bill(0);
    return life;
  }

  /** Refused like a call, if its bill would be below 0. */
  async change(change: Change, now: Date): Promise<void> {
    const { id, amount, collect = 'NEXT_INVOICE', when = 'NOW' } = change;
    const price = aPrice({ id, amount });
    const request = aChangeRequest({
      ...{ changeId: id, invoiceId: `invoice-of-${id}`, requirePayment: false, collect, at: when },
      ...{ creditNoteIdOf, facts: await this.checkout.factsOf(this.subscription) },
      wanted: {
        product: { productId: id, productName: id, price },
        quantity: null,
        discount: null,
      },
      taxFacts: { buyer: null, taxCategory: categoryOf(id) },
    });
    const { subscription } = this;
    if (when === 'NOW') {
      const planned = planChange(subscription, { ...request, at: now });
      const quoted = { subscription, planned, request };
      await readPlanQuote(quoted, testContext({ now }), this.checkout.peers);
    }
    const { state } = requestChange(subscription, request, { now });
    const made = state.changes.finished.at(-1);
    if (when === 'NOW' && made !== undefined) {
      if (made.invoice !== null) {
        this.checkout.create(toProtoChangeInvoice(state, made.invoice));
      }
      this.checkout.credit(made.creditNotes);
    }
    this.subscription = { ...state, openInvoices: [] };
  }

  renew(): void {
    const { end } = currentPeriod(this.subscription);
    const { state } = takeDueStep(this.subscription, at(end));
    const periodIndex = state.periodIndex ?? 0;
    const latestInvoice = { id: invoiceIdOf(periodIndex), periodIndex };
    this.subscription = { ...state, openInvoices: [], latestInvoice };
    this.bill(periodIndex);
  }

  async credits(now: Date) {
    const facts = await this.checkout.factsOf(this.subscription);
    const terms = { facts, proration: 'PRORATE', creditNoteIdOf } as const;
    const credits = creditsOf(this.subscription, { ...terms, at: now, invoiceIdOf });
    return { terms, credits };
  }

  /** Ends with credits; refused like a call, if the bill of the end would be below 0. */
  async end(now: Date): Promise<void> {
    const { terms, credits } = await this.credits(now);
    const bill = { unusedLines: credits.unusedLines, invoiceId: 'end' };
    await checkEndBill(this.subscription, bill, testContext({ now }), this.checkout.peers);
    this.endAs({ ...terms, id: 'call', instant: null, reservedRound: null }, now);
    this.checkout.credit(credits.kept);
  }

  endAs(call: Parameters<typeof cancel>[1]['call'], now: Date): void {
    const ending = { atPeriodEnd: false, ...at(now), ...(call !== undefined && { call }) };
    this.subscription = cancel(this.subscription, ending).state;
    const { periodIndex } = this.subscription;
    const putOff = putOffOn(this.subscription, [(periodIndex ?? 0) + 1]);
    if (putOff.lines.length > 0) this.invoice('end', { recurring: [], putOff });
  }

  private bill(periodIndex: number): void {
    this.invoice(invoiceIdOf(periodIndex), periodBill(this.subscription, periodIndex, []));
  }

  private invoice(
    invoiceId: string,
    { recurring, putOff }: Pick<ReturnType<typeof periodBill>, 'recurring' | 'putOff'>,
  ): void {
    const taxCategory = categoryOf(mainItem(this.subscription).productId);
    const request = toProtoNewInvoice(this.subscription, {
      ...{ invoiceId, reason: 'SUBSCRIPTION_CYCLE', authorizedTransactionId: null },
      ...{ isDiscounted: false, buyer: undefined, usage: [], taxCategory },
      ...{ period: currentPeriod(this.subscription), recurring, putOff },
    });
    this.checkout.create(request);
  }
}

interface Change {
  /** Also id of the product and its price. */
  readonly id: string;
  readonly amount: bigint;
  readonly collect?: 'NOW' | 'NEXT_INVOICE';
  readonly when?: 'NOW' | 'PERIOD_END';
}

const totalsOf = ({ checkout }: Life) => checkout.invoices.map(({ total }) => total);

describe('lines put off of a product with another tax rate', () => {
  test('are taxed by their own product, also once the subscription has another one', async () => {
    const life = Life.begun(10000n);
    await life.change({ id: 'reduced-pro', amount: 30000n }, day('06-16'));
    await life.change({ id: 'standard', amount: 5000n, when: 'PERIOD_END' }, day('06-20'));
    life.renew();
    // 5000 less 5000 at 20 %, and 15000 at 7 %.
    expect(totalsOf(life)).toEqual([12000n, 16050n]);
  });

  test('are given back at their own rate', async () => {
    const life = Life.begun(10000n);
    await life.change({ id: 'reduced-pro', amount: 30000n }, day('06-16'));
    const { credits } = await life.credits(day('06-26'));
    expect(credits.unusedLines).toMatchObject([
      { amount: -5000n, taxedAs: null, taxCategory: 'reduced' },
    ]);
    await life.end(day('06-26'));
    expect(totalsOf(life)).toEqual([12000n, -6000n + 16050n - 5350n]);
  });

  test('hold an end off that would give more tax back than it charges', async () => {
    const life = Life.begun(10000n);
    await life.change({ id: 'reduced-pro', amount: 30000n }, day('06-16'));
    await expect(life.end(day('06-16'))).rejects.toMatchObject({
      ...{ kind: 'failed_precondition', reason: 'CANCELLATION_GIVES_TAX_BACK' },
    });
    expect(waitingPutOff(life.subscription).lines).toHaveLength(2);
    life.endAs(undefined, day('06-16'));
    expect(totalsOf(life)).toEqual([12000n, 10050n]);
  });
});

test('no bill is below 0, and no credit exceeds the price of the time left', async () => {
  const step = fc.record({
    kind: fc.constantFrom('NEXT', 'NEXT', 'NOW', 'PERIOD_END', 'RENEW'),
    rate: fc.constantFrom('reduced', 'standard'),
    amount: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 100_000n })),
    pause: fc.integer({ min: 0, max: 20 }),
  });
  const price = fc.bigInt({ min: 0n, max: 100_000n });
  await fc.assert(
    fc.asyncProperty(price, fc.array(step, { maxLength: 8 }), async (first, steps) => {
      const life = Life.begun(first);
      let now = day('06-01').getTime();
      for (const [index, { kind, rate, amount, pause }] of steps.entries()) {
        const { start, end } = currentPeriod(life.subscription);
        now = Math.max(now, start.getTime()) + pause * 86_400_000;
        if (kind === 'RENEW' || now >= end.getTime()) {
          now = end.getTime();
          life.renew();
          continue;
        }
        const collect = kind === 'NOW' ? 'NOW' : 'NEXT_INVOICE';
        const when = kind === 'PERIOD_END' ? 'PERIOD_END' : 'NOW';
        const id = `${rate}-${String(index)}`;
        await unlessRefused(life.change({ id, amount, collect, when }, new Date(now)));
      }
      const { start, end } = currentPeriod(life.subscription);
      const { kept, unusedLines } = (await life.credits(new Date(now))).credits;
      const whole = end.getTime() - start.getTime();
      const left = BigInt(end.getTime() - now);
      const ofPrice = (mainItem(life.subscription).price.amount * left) / BigInt(whole);
      const credited = sumOf(kept.flatMap(({ lines }) => lines.map(({ priced }) => priced)));
      expect(credited - sumOf(unusedLines.map(({ amount }) => amount)) <= ofPrice + 2n).toBe(true);
      const isEnded = await unlessRefused(life.end(new Date(now)));
      if (!isEnded) life.endAs(undefined, new Date(now));
      expect(totalsOf(life).every((total) => total >= 0n)).toBe(true);
    }),
  );
});

async function unlessRefused(call: Promise<void>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.reason.endsWith('GIVES_TAX_BACK')) return false;
    throw error;
  }
}
