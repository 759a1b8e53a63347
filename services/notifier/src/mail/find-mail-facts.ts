import type { CallContext } from '@billing/chassis/call-context';
import { unlessNotFound } from '@billing/kernel/domain-error';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { MailPeers } from '../peer/peers';
import type { MailFacts } from './mail-values';

/** Customer and product of a mail. */
export interface MailSubject {
  readonly customerId: string;
  readonly productId: string | undefined;
}

/** Look and seller of the mails of an environment. */
export type MailLook = Pick<MailFacts, 'brand' | 'locale' | 'seller' | 'portalUrl'>;

/** Facts of a mail, and the customer that they are about. */
export interface FoundMailFacts extends MailFacts {
  readonly recipient: Customer;
}

/**
 * Reads the facts of a mail as they are now; undefined if the customer is unknown or deleted, who
 * gets no mail.
 */
export async function findMailFacts(
  peers: MailPeers,
  { customerId, productId }: MailSubject,
  context: CallContext,
  reading: Promise<MailLook> = findLook(peers, context),
): Promise<FoundMailFacts | undefined> {
  const [found, look, productName] = await Promise.all([
    unlessNotFound(peers.customer.getCustomer({ id: customerId }, context)),
    reading,
    productId === undefined ? undefined : productNameOf(peers, productId, context),
  ]);
  const customer = found?.customer;
  if (customer === undefined || customer.email === '') return undefined;
  const { email, name, locale = look.locale } = customer;
  return { ...look, locale, customer: { email, name }, productName, recipient: customer };
}

/** Reads the look as it is now. */
export async function findLook(
  peers: Pick<MailPeers, 'branding'>,
  context: CallContext,
): Promise<MailLook> {
  const branded = await peers.branding.getBranding({}, context);
  const { seller } = branded;
  const { colors, ...branding } = required(branded.branding);
  return {
    locale: branding.defaultLocale,
    brand: {
      colors: required(colors),
      supportUrl: branding.supportUrl,
      termsUrl: branding.termsUrl,
      privacyUrl: branding.privacyUrl,
      logo: seller?.logo,
    },
    portalUrl: branding.portalSignInUrl === '' ? undefined : branding.portalSignInUrl,
    seller: {
      name: branding.displayName ?? seller?.legalName,
      email: branding.supportEmail ?? seller?.email,
      supportUrl: branding.supportUrl,
    },
  };
}

/** Name of a product as it is now; undefined if it is unknown. */
export async function productNameOf(
  peers: Pick<MailPeers, 'catalog'>,
  id: string,
  context: CallContext,
): Promise<string | undefined> {
  const found = await unlessNotFound(peers.catalog.getProduct({ id }, context));
  return found?.product?.name;
}

function required<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The branding is incomplete');
  return part;
}
