import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId, isId, newId } from '@billing/chassis/ids';
import { checkMetadata } from '@billing/chassis/request-fields';
import { notFound } from '@billing/kernel/domain-error';
import type { NamedItem } from '@billing/kernel/purchase-items';
import { supportedLocale } from '@billing/presentation/locale';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { HostedPageStore } from '../hosted-page/store';
import type { InvoiceRecord } from '../invoice/invoice';
import { fromProtoCollectionMethod } from '../invoice/rpc';
import { billedCurrency } from '../invoice/billed-currency-store';
import { customerSnapshot, fetchCustomer } from '../peer/customer';
import { checkDiscountIsKnown } from '../peer/discount';
import { type BoughtProduct, fetchProduct, priceSnapshot } from '../peer/product';
import type { Peers } from '../peer/peers';
import type { CheckoutLink } from './checkout-link';
import type { BillingSettingsStore } from '../seller/billing-settings-store';
import { buyerFactsOf } from '../tax/finalization-message';
import { toNewSessionInvoice, totalOfPurchase } from './purchase';
import type { NewSession, Offer } from './session';
import {
  checkCurrency,
  checkLink,
  checkProducts,
  checkSessionInput,
  type DescribedInput,
  namedItems,
} from './session-input';
import { abandonAt } from './session-ending';
import { checkTaxedTotal, mayExceedMaximum } from '../collection/taxed-total';

export interface SessionDescriptionDependencies {
  readonly links: AggregateCollection<CheckoutLink>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly pages: HostedPageStore;
  readonly peers: Peers;
  readonly settings: Pick<BillingSettingsStore, 'readForInvoice'>;
}

/**
 * Describes the requested session at the current terms of its customer, price and link. Throws the
 * reason if the session cannot be created.
 */
export async function describeSession(
  id: string,
  input: DescribedInput,
  context: CallContext,
  dependencies: SessionDescriptionDependencies,
): Promise<NewSession> {
  const metadataProblems = checkMetadata(input.metadata);
  checkSessionInput(input, { isId, metadataProblems });
  const { peers, links, invoices } = dependencies;
  const { customerId } = input;
  const [known, products, link] = await firstRefusal([
    customerId === undefined ? undefined : fetchCustomer(peers, customerId, context),
    fetchProducts(peers, namedItems(input), context),
    activeLink(input.checkoutLinkId, context, links),
    checkDiscountIsKnown(peers, input.discountId, context),
  ]);
  const facts = products.map((bought) => bought.facts);
  const [product] = products;
  checkProducts(facts, input);
  const customer = known ?? anyCustomer(product.price.currency);
  checkCurrency(product.facts, input, await fixedCurrency(customer, product, context, invoices));
  checkLink(link, facts, input);
  const session = {
    id,
    ...offerOf(products, input),
    ...derivedIdsOf(id, product, context),
    customerId: customer.id,
    collectionMethod: collectionMethodOf(customer),
    // The link's value applies if the call names none.
    discountId: input.discountId ?? link?.discountId,
    isDiscountOptional: input.discountId === undefined && link?.discountId !== undefined,
    isForVisitor: input.isForVisitor,
    ...((input.allowsCodes ?? link?.allowDiscountCodes) === true && { allowsCodes: true }),
    checkoutLinkId: link?.id,
    successUrl: input.successUrl ?? link?.successUrl,
    cancelUrl: input.cancelUrl ?? link?.returnUrl,
    locale: supportedLocale(input.locale ?? ''),
    metadata: input.metadata,
    snapshots: {
      customer: customerSnapshot.write(customer),
      price: priceSnapshot.write(product.price),
      discount: undefined,
    },
    abandonAt: abandonAt(context),
    pageHash: dependencies.pages.hashOf(id),
  };
  const purchase = toNewSessionInvoice(session);
  if (mayExceedMaximum(purchase)) {
    const written = await dependencies.settings.readForInvoice(context);
    const buyer = buyerFactsOf(customer);
    const terms = { ...written, buyer, at: context.now, isFinal: false };
    checkTaxedTotal(purchase, terms, input.items === undefined ? 'quantity' : 'items');
  }
  const isKnown = session.discountId === undefined;
  return { ...session, total: isKnown ? totalOfPurchase(session) : undefined };
}

/** How the invoices of a session are collected. */
export function collectionMethodOf({
  collectionMethod,
}: Pick<Customer, 'collectionMethod'>): NewSession['collectionMethod'] {
  return fromProtoCollectionMethod(collectionMethod) ?? 'CHARGE_AUTOMATICALLY';
}

function anyCustomer(currency: string): Customer {
  return { ...Customer.fromJSON({}), id: newId(), currency, currencyFixed: true };
}

// A customer stored before currencies were fixed has the currency of their invoices.
async function fixedCurrency(
  { id, currency, currencyFixed }: Customer,
  { facts: { price } }: BoughtProduct,
  context: CallContext,
  invoices: AggregateCollection<InvoiceRecord>,
): Promise<string | undefined> {
  if (currencyFixed === true || price.currency === currency) return currency;
  return billedCurrency(id, invoices.within(context));
}

async function activeLink(
  id: string | undefined,
  context: CallContext,
  links: AggregateCollection<CheckoutLink>,
): Promise<CheckoutLink | undefined> {
  if (id === undefined) return undefined;
  const { state: link } = await links.within(context).get(id);
  if (!link.active) throw notFound('Checkout link');
  return link;
}

async function fetchProducts(
  peers: Peers,
  named: readonly NamedItem[],
  context: CallContext,
): Promise<readonly [BoughtProduct, ...BoughtProduct[]]> {
  const [main, ...others] = await firstRefusal(
    named.map(({ priceId, productId }) => fetchProduct(peers, { priceId, productId }, context)),
  );
  if (main === undefined) throw new Error('A purchase has no items');
  return [main, ...others];
}

/** Reads what a session sells at its current terms. */
export async function readOffer(
  input: Parameters<typeof offerOf>[1],
  context: CallContext,
  peers: Peers,
): Promise<Offer> {
  return offerOf(await fetchProducts(peers, namedItems(input), context), input);
}

function offerOf(
  [main, ...others]: readonly [BoughtProduct, ...BoughtProduct[]],
  input: Pick<DescribedInput, 'priceId' | 'productId' | 'quantity' | 'items'>,
): Offer {
  const named = namedItems(input);
  const { currency, billingInterval, intervalCount, trialDays } = main.facts.price;
  return {
    ...itemOf(main, named[0]),
    currency,
    recurrence: { billingInterval, intervalCount },
    trialDays,
    ...(others.length > 0 && {
      otherItems: others.map((bought, index) => ({
        ...itemOf(bought, named[index + 1]),
        price: priceSnapshot.write(bought.price),
      })),
    }),
  };
}

function itemOf({ facts, price: { id: priceId } }: BoughtProduct, item: NamedItem | undefined) {
  const { id, name, description, taxCategory } = facts;
  return {
    productId: id,
    productName: name,
    productDescription: description,
    priceId,
    quantity: item?.quantity ?? 1,
    taxCategory,
  };
}

// The first invoice of a subscription is the session's, so both derive the same invoice id.
function derivedIdsOf(
  sessionId: string,
  { facts: { price } }: BoughtProduct,
  { tenant: { environmentId } }: CallContext,
): Pick<NewSession, 'invoiceId' | 'subscriptionId'> {
  if (price.billingInterval === 'ONE_TIME') {
    return {
      invoiceId: derivedId(environmentId, sessionId, 'invoice'),
      subscriptionId: undefined,
    };
  }
  const subscriptionId = derivedId(environmentId, 'checkout-session', sessionId);
  const invoiceId =
    price.trialDays > 0
      ? derivedId(environmentId, subscriptionId, 'trial')
      : derivedId(environmentId, subscriptionId, 'period', 0);
  return { invoiceId, subscriptionId };
}

/**
 * Awaits all in parallel; of several refusals the first in this order is thrown, so that the same
 * call always gets the same answer.
 */
async function firstRefusal<T extends readonly unknown[]>(asked: {
  readonly [K in keyof T]: Promise<T[K]> | T[K];
}): Promise<T> {
  const settled = await Promise.allSettled(asked);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return Promise.all(asked);
}
