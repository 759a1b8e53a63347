import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { connectMongo } from '@billing/chassis/mongo';
import { connectPeer } from '@billing/chassis/peer';
import {
  dropTestDatabase,
  dropTestStream,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type CheckoutLinkServiceServer,
  type CreateCheckoutLinkRequest,
  CheckoutLinkServiceService,
} from '@billing/proto/billing/checkout/v1/checkout_link';
import {
  type HostedPageServiceServer,
  HostedPageServiceService,
} from '@billing/proto/billing/checkout/v1/hosted_page';
import {
  type PaymentServiceServer,
  PaymentServiceService,
} from '@billing/proto/billing/checkout/v1/payment';
import {
  type CreateSessionRequest,
  type Session,
  type SessionServiceServer,
  SessionServiceService,
} from '@billing/proto/billing/checkout/v1/session';
import {
  type SellerServiceServer,
  SellerServiceService,
  TaxPrices,
  UpdateSellerRequest,
} from '@billing/proto/billing/checkout/v1/seller';
import {
  type DueWorkServiceServer,
  DueWorkServiceService,
  WorkClass,
} from '@billing/proto/billing/clock/v1/due_work';
import { start } from '../service';
import { testHostedPageSecret } from './invoice';
import { openReaders } from './session-store';
import { Shop } from './shop-rpc';

// Shared by the gRPC tests of sessions: a running checkout and its simulated peers.

/** Starts checkout on its own database with its own peers. */
export async function startShop({ clock = systemClock }: { clock?: Clock } = {}) {
  const peers = new Shop();
  const outside = await peers.start();
  const configuration = testServiceConfiguration('checkout', {
    CATALOG_ADDRESS: outside,
    CUSTOMER_ADDRESS: outside,
    DISCOUNT_ADDRESS: outside,
    SUBSCRIPTION_ADDRESS: outside,
    DUNNING_RETRY_DAYS: [3, 7, 14],
    RETENTION_SESSIONS: 400,
    HOSTED_PAGE_URL: 'https://pay.example',
    HOSTED_PAGE_SECRET: testHostedPageSecret,
  });
  const service = await start(configuration, { clock });
  const calls = connectCalls(service.address);
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  return {
    ...calls,
    ...stepsOf(calls, peers),
    ...openReaders(mongo.db, calls),
    peers,
    configuration,
    stop: async () => {
      for (const peer of Object.values(calls)) peer.close();
      await service.stop();
      await peers.stop();
      await mongo.close();
      await dropTestDatabase(configuration);
      await dropTestStream(configuration);
    },
  };
}

export type RunningShop = Awaited<ReturnType<typeof startShop>>;

function connectCalls(address: string) {
  const options = { address, service: 'test' };
  return {
    // Configured like the gateway: calls that are not idempotent are not retried.
    sessions: connectPeer<SessionServiceServer>(SessionServiceService, {
      ...options,
    }),
    links: connectPeer<CheckoutLinkServiceServer>(CheckoutLinkServiceService, {
      ...options,
    }),
    payments: connectPeer<PaymentServiceServer>(PaymentServiceService, options),
    hostedPages: connectPeer<HostedPageServiceServer>(HostedPageServiceService, {
      ...options,
      withoutTenant: ['findHostedPage'],
    }),
    seller: connectPeer<SellerServiceServer>(SellerServiceService, options),
    dueWork: connectPeer<DueWorkServiceServer>(DueWorkServiceService, {
      ...options,
      withoutTenant: ['getNextDue', 'runDue', 'getActivity'],
    }),
  };
}

function stepsOf(
  { sessions, payments, links, seller, dueWork }: ReturnType<typeof connectCalls>,
  peers: Shop,
) {
  /** A session of a new customer for a new product, unless the request names others. */
  const create = async (
    context: CallContext,
    request: Partial<CreateSessionRequest> = {},
  ): Promise<{ session: Session; invoice: Invoice }> => {
    const { session, invoice } = await sessions.createSession(
      {
        customerId: request.customerId ?? peers.aCustomer().id,
        productId: request.productId ?? peers.aProduct().id,
        metadata: {},
        ...request,
      },
      context,
    );
    if (session === undefined || invoice === undefined) throw new Error('No session was made');
    return { session, invoice };
  };
  /** A method of the session's customer, from a typed card. */
  const aMethod = async ({ customerId }: Session, number: string, context: CallContext) => {
    const card = { number, expiry: '12/49', code: '123', name: undefined };
    return (await payments.savePaymentMethod({ customerId, card }, context)).paymentMethodId;
  };
  const pay = async (session: Session, number: string, context: CallContext) =>
    sessions.paySession(
      {
        id: session.id,
        paymentMethodId: await aMethod(session, number, context),
        returnUrl: 'https://pay.example/back',
      },
      context,
    );
  const read = (id: string, context: CallContext) => sessions.getSession({ id }, context);
  const aLink = async (context: CallContext, request: Partial<CreateCheckoutLinkRequest> = {}) => {
    const { checkoutLink } = await links.createCheckoutLink(
      {
        ...{ label: 'Offers', productIds: [peers.aProduct().id], metadata: {} },
        ...{ quantity: undefined, collect: [] },
        ...request,
      },
      context,
    );
    if (checkoutLink === undefined) throw new Error('No link was made');
    return checkoutLink;
  };
  /** Makes the seller tax prices without tax, at home in Germany and in the European Union. */
  const setTax = (context: CallContext) =>
    seller.updateSeller(
      UpdateSellerRequest.fromPartial({
        updateMask: ['legalName', 'address', 'tax'],
        legalName: 'Ada GmbH',
        address: { country: 'DE' },
        tax: { prices: TaxPrices.TAX_PRICES_EXCLUDE_TAX, registrations: ['DE', 'EU'] },
      }),
      context,
    );
  /** Runs the environment's due work up to a time of its manual clock, like a clock advance. */
  const runDue = async (until: Date, context: CallContext) => {
    const { environmentId } = context.tenant;
    const workClass = WorkClass.WORK_CLASS_COLLECTION;
    await dueWork.runDue({ environmentId, until, workClass }, context);
  };
  return { create, aMethod, pay, read, aLink, setTax, runDue };
}

/** Answer to a payer: the status reached, or the reason of the refusal. */
export async function outcomeOf(answer: Promise<{ session?: Session | undefined }>) {
  try {
    return (await answer).session?.status;
  } catch (error) {
    if (error instanceof DomainError) return error.reason;
    throw error;
  }
}
