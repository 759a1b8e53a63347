import { fixedPoint, one } from './picture/fixed-point';
import { examineEach, type Invariant, repeated, together } from './picture/invariant';
import type {
  InvoicePicture,
  LinePicture,
  MeterPricePicture,
  PaymentPicture,
} from './picture/picture';

export const amountsAddUp: Invariant = {
  id: 'I1',
  title: 'Σ lines = subtotal, subtotal − discount + tax = total, Σ taxes of lines and rows = tax',
  examine: ({ invoices, meterPrices }) =>
    examineEach(invoices, (invoice) => amountProblems(invoice, meterPrices)),
};

export const paidOnce: Invariant = {
  id: 'I6',
  title: 'at most one successful charge an invoice, which pays it; amountPaid = Σ payments',
  examine: ({ invoices }) => {
    const charges = invoices.flatMap(({ payments }) => payments);
    return together(examineEach(invoices, paymentProblems), {
      examined: charges.length,
      findings: repeated(charges.map(({ id }) => id)).map(
        ([id, count]) => `payment ${id} occurs ${String(count)} times`,
      ),
    });
  },
};

export const chargesAreRecordedOnce: Invariant = {
  id: 'I63',
  title: 'each charge of a provider is on exactly one invoice',
  examine: ({ invoices }) => {
    const atProvider = invoices
      .flatMap(({ payments }) => payments)
      .flatMap(({ providerPaymentId }) => providerPaymentId ?? []);
    return {
      examined: atProvider.length,
      findings: repeated(atProvider).map(
        ([id, count]) => `charge ${id} is recorded ${String(count)} times`,
      ),
      unseen: ['charges that no invoice has: the provider lists them, and a restore compares them'],
    };
  },
};

export const statusFollowsDebt: Invariant = {
  id: 'I19',
  title: 'OPEN ⇒ something is outstanding, PAID ⇒ nothing is',
  examine: ({ invoices }) =>
    examineEach(invoices, (invoice) => {
      const { id, status, billingReason } = invoice;
      const outstanding = outstandingOf(invoice);
      const isOfSession = billingReason === 'CHECKOUT';
      return [
        outstanding < 0 && `invoice ${id}: paid more than the total`,
        status === 'PAID' && outstanding > 0 && `invoice ${id}: PAID with a debt`,
        // A session's payer confirms an invoice of 0.
        status === 'OPEN' &&
          outstanding === 0 &&
          !isOfSession &&
          `invoice ${id}: OPEN without debt`,
      ];
    }),
};

function amountProblems(
  invoice: InvoicePicture,
  prices: readonly MeterPricePicture[],
): (string | false)[] {
  const { id, lineItems, discounts, subtotal, discountAmount, tax, total } = invoice;
  const off = sum(lineItems.map((line) => line.discountAmount));
  return [
    sum(lineItems.map(({ amount }) => amount)) !== subtotal && `invoice ${id}: Σ lines ≠ subtotal`,
    off !== discountAmount && `invoice ${id}: Σ discounts of lines ≠ discountAmount`,
    sum(discounts.map(({ amount }) => amount)) !== discountAmount &&
      `invoice ${id}: Σ discounts ≠ discountAmount`,
    subtotal - discountAmount + tax !== total && `invoice ${id}: subtotal − discount + tax ≠ total`,
    total < 0 && `invoice ${id}: total below 0`,
    ...taxProblems(invoice),
    ...lineItems.flatMap((line) => lineProblems(id, line, prices)),
  ];
}

function taxProblems(invoice: InvoicePicture): (string | false)[] {
  const { id, lineItems, taxes, subtotal, discountAmount, tax, total } = invoice;
  const ofLines = sum(lineItems.map(({ taxAmount }) => taxAmount));
  const bases = sum(taxes.map(({ base }) => base));
  return [
    ofLines !== tax && `invoice ${id}: Σ taxes of lines ≠ tax`,
    sum(taxes.map(({ amount }) => amount)) !== tax && `invoice ${id}: Σ rows of taxes ≠ tax`,
    taxes.length > 0 &&
      bases !== subtotal - discountAmount &&
      `invoice ${id}: Σ bases of taxes ≠ subtotal − discount`,
    sum(lineItems.map((line) => line.total)) !== total &&
      `invoice ${id}: Σ totals of lines ≠ total`,
  ];
}

function lineProblems(
  invoiceId: string,
  line: LinePicture,
  prices: readonly MeterPricePicture[],
): (string | false)[] {
  const { amount, discountAmount, pricedAmount, details } = line;
  const problems: (string | false)[] = [
    // A negative line lessens the sum and has no part in the discount.
    (discountAmount < 0 || discountAmount > Math.max(amount, 0)) &&
      `invoice ${invoiceId}: a line's discount is not within its amount`,
  ];
  if (details === null) return problems;
  const exact = fixedPoint(details.exactAmount);
  const ofTiers = details.tiers.reduce((all, tier) => all + fixedPoint(tier.amount), 0n);
  return [
    ...problems,
    details.tiers.length > 0 &&
      ofTiers !== exact &&
      !isBounded(line, { ofTiers, exact }, prices) &&
      `invoice ${invoiceId}: Σ tiers ≠ exact amount of a line`,
    !isRounded(BigInt(pricedAmount), exact) &&
      `invoice ${invoiceId}: a line's amount is not its exact amount rounded`,
  ];
}

/** True if the minimum or maximum of its meter's price is the amount of a line. */
function isBounded(
  { meterId, periodStart }: LinePicture,
  { ofTiers, exact }: { ofTiers: bigint; exact: bigint },
  prices: readonly MeterPricePicture[],
): boolean {
  if (meterId === null) return false;
  const inForce = prices.filter(
    (price) => price.meterId === meterId && price.createdAt <= (periodStart ?? ''),
  );
  // Replaced prices cannot be read; their bounds are known to be whole amounts.
  if (inForce.length === 0) return exact % one === 0n;
  return inForce.some(({ minimumAmount, maximumAmount }) => {
    const isRaised = minimumAmount !== null && exact === BigInt(minimumAmount) * one;
    const isLowered = maximumAmount !== null && exact === BigInt(maximumAmount) * one;
    return (isRaised && ofTiers < exact) || (isLowered && ofTiers > exact);
  });
}

function paymentProblems(invoice: InvoicePicture): (string | false)[] {
  const { id, status, amountPaid, amountDue, paidAt, payments } = invoice;
  const payable = invoice.total - invoice.balanceApplied - invoice.amountReduced;
  // One that succeeded after the invoice was settled is an overpayment as a whole.
  const successes = payments.filter(
    ({ status: ended, amount, overpayment }) =>
      ended === 'SUCCEEDED' && (amount === 0 || overpayment < amount),
  );
  const charges = successes.filter((payment) => !isRecorded(payment));
  const isPaid = status === 'PAID';
  const due = status === 'OPEN' ? outstandingOf(invoice) : 0;
  return [
    charges.length > 1 && `invoice ${id}: ${String(charges.length)} successful charges`,
    isPaid && successes.length === 0 && payable !== 0 && `invoice ${id}: PAID without a charge`,
    // A charge is of all that is outstanding.
    !isPaid && charges.length > 0 && `invoice ${id}: charged but ${status}`,
    status === 'VOID' && successes.length > 0 && `invoice ${id}: VOID with a payment`,
    successes.length > 0 && payable === 0 && `invoice ${id}: paid although nothing was due`,
    payments.some(({ amount, overpayment }) => overpayment < 0 || overpayment > amount) &&
      `invoice ${id}: an overpayment is not within its payment`,
    sum(successes.map(({ amount, overpayment }) => amount - overpayment)) !== amountPaid &&
      `invoice ${id}: amountPaid ≠ Σ successful payments`,
    amountDue !== due && `invoice ${id}: amountDue ≠ debt`,
    isPaid !== (paidAt !== null) && `invoice ${id}: ${status} with paidAt ${String(paidAt)}`,
  ];
}

/** True for a payment that was not charged at a provider. */
function isRecorded({ provider }: Pick<PaymentPicture, 'provider'>): boolean {
  return provider === 'external' || provider === 'balance';
}

function outstandingOf(invoice: InvoicePicture): number {
  const { total, amountPaid, balanceApplied, amountReduced } = invoice;
  return total - amountPaid - balanceApplied - amountReduced;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, amount) => all + amount, 0);
}

// A correction is the difference of two rounded amounts, so a half of it may be rounded either way;
// everything else is rounded half up.
function isRounded(amount: bigint, exact: bigint): boolean {
  const rest = 2n * (exact - amount * one);
  return exact < 0n ? rest >= -one && rest <= one : rest >= -one && rest < one;
}
