import type { AsyncHandlers } from '@billing/chassis/rpc';
import { parseCurrency } from '@billing/kernel/currency';
import { invalidInput } from '@billing/kernel/domain-error';
import { parseAmount } from '@billing/kernel/money';
import type { CheckoutServiceServer } from '@billing/proto/billing/checkout/v1/checkout';
import type { ChangeCredit } from '@billing/proto/billing/checkout/v1/reservation';
import type { Reserved } from './change-reservation';
import type { ReservationWorker } from './reservation-worker';
import { readId } from '../invoice/rpc';
import type { ChangeRound } from '../invoice/reservation';

// A subscription has at most 20 items, and a period few invoices.
const creditsMax = 100;

/** Handlers of reservations for plan changes. */
export function reservationHandlers(
  worker: ReservationWorker,
): Pick<AsyncHandlers<CheckoutServiceServer>, 'reserveForChange' | 'releaseForChange'> {
  return {
    reserveForChange: async ({ balance, credits, ...request }, context) => {
      const reserved: Reserved = {
        subscriptionId: readId(request.subscriptionId, 'subscriptionId'),
        customerId: readId(request.customerId, 'customerId'),
        currency: parseCurrency(request.currency),
        changeInvoiceId: readId(request.changeInvoiceId, 'changeInvoiceId'),
        credits: readCredits(credits),
        balance: balance === undefined ? undefined : parseAmount(balance, 'balance'),
      };
      await worker.reserve(readRound(request), reserved, context);
      return {};
    },
    releaseForChange: async (request, context) => {
      const { keepBalance: keepsBalance } = request;
      await worker.release(readRound(request), context, { keepsBalance });
      return {};
    },
  };
}

function readRound({ changeId, round }: ChangeRound): ChangeRound {
  if (round < 1) throw invalidInput({ round: ['Must be at least 1'] });
  return { changeId: readId(changeId, 'changeId'), round };
}

function readCredits(credits: readonly ChangeCredit[]): Reserved['credits'] {
  if (credits.length > creditsMax) {
    throw invalidInput({ credits: [`Must have at most ${String(creditsMax)} elements`] });
  }
  const read = credits.map(({ invoiceId, lineItemId, amount }) => ({
    invoiceId: readId(invoiceId, 'credits'),
    lineItemId: readId(lineItemId, 'credits'),
    amount: parseAmount(amount, 'credits'),
  }));
  const lines = new Set(read.map(({ lineItemId }) => lineItemId));
  if (lines.size < read.length) throw invalidInput({ credits: ['Repeated line item'] });
  return read;
}
