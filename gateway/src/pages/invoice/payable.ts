import type { CallContext } from '@billing/chassis/call-context';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { Peers } from '../../peers';
import type { Payable } from '../payment/steps';

/** Payment of an invoice, on its hosted page or in the portal. */
export function invoicePayable(
  { id, customerId }: Invoice,
  page: Pick<Payable, 'path' | 'url' | 'isTest' | 'showProblems'> & {
    readonly network: string;
  },
  { payment }: Peers,
  context: CallContext,
): Payable {
  const { network: clientNetwork, path: next } = page;
  return {
    ...page,
    customerId,
    pay: async ({ methodId: value, returnUrl }) => {
      const source =
        value === undefined ? undefined : ({ $case: 'paymentMethodId', value } as const);
      const { action } = await payment.payInvoice(
        { id, source, returnUrl, clientNetwork },
        context,
      );
      return { action, next };
    },
    answer: async (answer) => {
      const { action } = await payment.answerInvoiceChallenge(
        { id, ...answer, clientNetwork },
        context,
      );
      return { action, next };
    },
  };
}
