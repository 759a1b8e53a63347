import type { CallContext } from '@billing/chassis/call-context';
import { type Invoice, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { Peers } from '../../peer/peers';
import { isPayableStatus, type Payable } from '../payment/steps';

/** Payment of an invoice, on its hosted page or in the portal. */
export function invoicePayable(
  { id, customerId }: Invoice,
  page: Pick<
    Payable,
    'path' | 'url' | 'isTest' | 'locales' | 'showProblems' | 'showRefused' | 'showRefusal'
  > & {
    readonly network: string;
  },
  { payment }: Peers,
  context: CallContext,
): Payable {
  const { network: clientNetwork, path: next } = page;
  return {
    ...page,
    customerId,
    pay: async ({ methodId: value, returnUrl, amount: expectedAmount }) => {
      const source =
        value === undefined ? undefined : ({ $case: 'paymentMethodId', value } as const);
      const { action, invoice } = await payment.payInvoice(
        { id, source, returnUrl, clientNetwork, expectedAmount },
        context,
      );
      return { action, next, isRefused: invoice !== undefined && wasRefused(invoice) };
    },
    answer: async (answer) => {
      const { action, invoice } = await payment.answerInvoiceChallenge(
        { id, ...answer, clientNetwork },
        context,
      );
      return { action, next, isRefused: invoice !== undefined && wasRefused(invoice) };
    },
  };
}

function wasRefused({ status, payments }: Invoice): boolean {
  const last = payments.at(-1)?.status;
  return isPayableStatus(status) && last === PaymentStatus.PAYMENT_STATUS_FAILED;
}
