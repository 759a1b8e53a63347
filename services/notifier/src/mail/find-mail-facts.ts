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
  const [found, branded, product] = await Promise.all([
    unlessNotFound(peers.customer.getCustomer({ id: customerId }, context)),
    peers.branding.getBranding({}, context),
    productId === undefined
      ? undefined
      : unlessNotFound(peers.catalog.getProduct({ id: productId }, context)),
  ]);
  const customer = found?.customer;
  if (customer === undefined || customer.email === '') return undefined;
  const { seller } = branded;
  const { colors, ...branding } = required(branded.branding);
  return {
    locale: branding.defaultLocale,
    brand: {
      colors: required(colors),
      supportUrl: branding.supportUrl,
      termsUrl: branding.termsUrl,
      privacyUrl: branding.privacyUrl,
    },
    customer: { email: customer.email, name: customer.name },
    seller: {
      name: branding.displayName ?? seller?.legalName,
      email: branding.supportEmail ?? seller?.email,
      supportUrl: branding.supportUrl,
    },
    productName: product?.product?.name,
  };
}

function required<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The branding is incomplete');
  return part;
}
