import type { CallContext } from '@billing/chassis/call-context';
import { unlessNotFound } from '@billing/kernel/domain-error';
import type { MailPeers } from '../peers';
import type { MailFacts } from './mail-values';

/** Customer and product of a mail. */
export interface MailSubject {
  readonly customerId: string;
  readonly productId: string | undefined;
}

/**
 * Reads the facts of a mail as they are now; undefined if the customer is unknown or deleted, who
 * gets no mail.
 */
export async function findMailFacts(
  peers: MailPeers,
  { customerId, productId }: MailSubject,
  context: CallContext,
): Promise<MailFacts | undefined> {
  const [found, { seller }, product] = await Promise.all([
    unlessNotFound(peers.customer.getCustomer({ id: customerId }, context)),
    peers.seller.getSeller({}, context),
    productId === undefined
      ? undefined
      : unlessNotFound(peers.catalog.getProduct({ id: productId }, context)),
  ]);
  const customer = found?.customer;
  if (customer === undefined || customer.email === '') return undefined;
  return {
    customer: { email: customer.email, name: customer.name },
    seller: { name: seller?.legalName, email: seller?.email },
    productName: product?.product?.name,
  };
}
