import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import {
  serveInTest,
  type TestServer,
  dropTestDatabase,
  dropTestStream,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { createLogger } from '@billing/chassis/logging';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import {
  BillingInterval,
  type CatalogServiceServer,
  CatalogServiceService,
  PricingType,
  type Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  type CheckoutServiceServer,
  CheckoutServiceService,
  type CreateInvoiceRequest,
  type EndCollectionRequest,
  type Invoice,
  InvoiceStatus,
  type ResolveAuthorizationRequest,
  type VoidDerivedInvoiceRequest,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { IssueCreditNoteRequest } from '@billing/proto/billing/checkout/v1/credit_note';
import type { ReleaseForChangeRequest } from '@billing/proto/billing/checkout/v1/reservation';
import {
  type DueWorkServiceServer,
  DueWorkServiceService,
} from '@billing/proto/billing/clock/v1/due_work';
import {
  type Customer,
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type ConfirmRedemptionRequest,
  type Discount,
  type DiscountServiceServer,
  DiscountServiceService,
  type ReleaseRedemptionRequest,
  type ReserveRedemptionRequest,
} from '@billing/proto/billing/discount/v1/discount';
import {
  type ErasureServiceServer,
  ErasureServiceService,
} from '@billing/proto/billing/erasure/v1/erasure';
import {
  type EventLogServiceServer,
  EventLogServiceService,
} from '@billing/proto/billing/event/v1/event_log';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import {
  type ChangeServiceServer,
  ChangeServiceService,
} from '@billing/proto/billing/subscription/v1/change_service';
import {
  type CreateSubscriptionRequest,
  type Subscription as ProtoSubscription,
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { SubscriptionConfiguration } from '../config';
import { start } from '../service';
import { aProtoCustomer } from './customer-facts';
import { anInvoice, aQuote, type ChangeInvoices, seenInvoice } from './invoice';
import { type LoggedEvent, readLoggedEvents } from './logged-events';
import { MeteringRole } from './metering-role';
import { ReservedCredits } from './reserved-credits';

// Test servers in place of this service's peers: they return configured facts and record every
// call. The real peers meet this service in the scenario tests.

const createdAt = new Date('2026-01-01T00:00:00.000Z');

/** 29.00 USD a month. */
export function aProduct(
  parts: Partial<Product> = {},
  price: Partial<Product['price']> = {},
): Product {
  const id = parts.id ?? 'product';
  return {
    id,
    organizationId: 'organization',
    name: 'Pro',
    active: true,
    metadata: {},
    price: {
      id: `${id}-price`,
      productId: id,
      type: PricingType.PRICING_TYPE_FLAT,
      tiers: [],
      currency: 'USD',
      amount: 2900n,
      billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
      intervalCount: 1,
      active: true,
      createdAt,
      updatedAt: createdAt,
      metadata: {},
      ...price,
    },
    createdAt,
    updatedAt: createdAt,
    version: 1n,
    meterPrices: [],
    meterPriceSet: 0,
    ...parts,
  };
}

/** A call that a peer server received. */
interface Received<T> {
  readonly request: T;
  readonly context: CallContext;
}

/** All peers, on one server. */
class PeerServers {
  readonly products = new Map<string, Product>();
  readonly customers = new Map<string, Customer>();
  readonly invoices: Received<CreateInvoiceRequest>[] = [];
  readonly voids: Received<VoidDerivedInvoiceRequest>[] = [];
  readonly authorizations: Received<ResolveAuthorizationRequest>[] = [];
  readonly endings: Received<EndCollectionRequest>[] = [];
  readonly creditNotes: Received<IssueCreditNoteRequest>[] = [];
  readonly freed: Received<ReleaseForChangeRequest>[] = [];
  readonly credits = new ReservedCredits();
  /** Ids of invoices that were paid. */
  readonly paid = new Set<string>();
  readonly metering = new MeteringRole();
  readonly discounts = new Map<string, Discount>();
  readonly reservations: Received<ReserveRedemptionRequest>[] = [];
  readonly confirmations: Received<ConfirmRedemptionRequest>[] = [];
  readonly releases: Received<ReleaseRedemptionRequest>[] = [];
  /** Holders whose redemptions discount does not have, until they reserve again. */
  readonly lostRedemptions = new Set<string>();
  /** True: new invoices are charged immediately. */
  isCollecting = false;
  isCheckoutDown = false;
  /** True: checkout fails to create invoices, and serves every other call. */
  isInvoicingDown = false;
  isPaymentRunning = false;
  /** What is seen of invoices of changes. */
  changeInvoices: ChangeInvoices = 'OPEN';
  /** True while another change has reserved credit on each invoice. */
  isReservedByAnother = false;
  /** By customer: the currency that an invoice has set. */
  readonly billedCurrencies = new Map<string, string>();
  /** Checkout answers a void with INTERNAL. */
  isVoidBroken = false;
  /** Tax of quoted invoices, on top of their lines. */
  quotedTaxPercent = 0n;
  /** True: customers cannot be read. */
  isCustomerDown = false;
  /** Runs before an invoice is read. */
  onInvoiceRead: () => Promise<void> = () => Promise.resolve();
  /** Runs between a reservation and its answer. */
  onReservation: (request: ReserveRedemptionRequest) => Promise<void> = () => Promise.resolve();
  private server: TestServer | undefined;

  get address(): string {
    if (this.server === undefined) throw new Error('The peers are not at home');
    return this.server.address;
  }

  async start(): Promise<void> {
    const dependencies = {
      service: 'peers',
      clock: systemClock,
      logger: createLogger({ service: 'peers', level: 'silent' }),
    };
    this.server = await serveInTest([
      rpcService<CatalogServiceServer>(CatalogServiceService, this.catalog())(dependencies),
      rpcService<CustomerServiceServer>(CustomerServiceService, this.customer())(dependencies),
      rpcService<CheckoutServiceServer>(CheckoutServiceService, this.checkout())(dependencies),
      rpcService<DiscountServiceServer>(DiscountServiceService, this.discount())(dependencies),
      rpcService<MeteringServiceServer>(
        MeteringServiceService,
        this.metering.calls(),
      )(dependencies),
    ]);
  }

  async stop(): Promise<void> {
    await this.server?.stop({ drainDelayMs: 0, graceMs: 500 });
  }

  private catalog(): AsyncHandlers<CatalogServiceServer> {
    return {
      createProduct: neverAsked,
      listProducts: neverAsked,
      getProducts: async ({ ids }) => ({
        products: [...this.products.values()].filter(({ id }) => ids.includes(id)),
      }),
      updateProduct: neverAsked,
      getPrice: neverAsked,
      setMeterPrices: neverAsked,
      getMeterPrices: async ({ productId }) => this.meterPricesOf(productId),
      getMeterPriceSets: async ({ questions }) => ({
        answers: questions.map(({ productId }) => ({ found: this.meterPricesOf(productId) })),
      }),
      getProduct: neverAsked,
    };
  }

  private meterPricesOf(productId: string) {
    const product = this.products.get(productId);
    return { set: product?.meterPriceSet ?? 0, prices: product?.meterPrices ?? [] };
  }

  private customer(): AsyncHandlers<CustomerServiceServer> {
    return {
      createCustomer: neverAsked,
      fixCurrency: async ({ id, currency }) => {
        const customer = known(this.customers, id, 'Customer');
        const fixed = { ...customer, currency, currencyFixed: true };
        if (customer.currencyFixed !== true) this.customers.set(id, fixed);
        return { customer: this.customers.get(id) };
      },
      identifyCustomers: neverAsked,
      fillCustomer: neverAsked,
      listCustomers: neverAsked,
      updateCustomer: neverAsked,
      deleteCustomer: neverAsked,
      getCustomers: async ({ ids }) => {
        if (this.isCustomerDown) throw unavailable();
        return { customers: [...this.customers.values()].filter(({ id }) => ids.includes(id)) };
      },
      getCustomer: neverAsked,
    };
  }

  private checkout(): AsyncHandlers<CheckoutServiceServer> {
    return {
      quoteInvoice: async ({ invoice }) => aQuote(invoice, this.quotedTaxPercent),
      quoteInvoices: async ({ requests }) => ({
        responses: requests.map(({ invoice }) => aQuote(invoice, this.quotedTaxPercent)),
      }),
      getInvoice: async ({ id, changeId }) => {
        await this.onInvoiceRead();
        const invoice = this.invoiceOf(id);
        const left = this.credits.leftOf(invoice, changeId);
        return { invoice, left, reservedByOtherChange: this.isReservedByAnother };
      },
      voidInvoice: neverAsked,
      markUncollectible: neverAsked,
      createOneOffInvoice: neverAsked,
      updateDraftInvoice: neverAsked,
      deleteDraftInvoice: neverAsked,
      finalizeInvoice: neverAsked,
      listInvoices: neverAsked,
      getBilledCurrency: async ({ customerId }) => ({
        currency: this.billedCurrencies.get(customerId),
      }),
      createInvoice: async (request, context) => this.createInvoice(request, context),
      createInvoices: async ({ requests }, context) => ({
        responses: requests.map((request) => this.createInvoice(request, context)),
      }),
      voidDerivedInvoice: async (request, context) => {
        if (this.isCheckoutDown) throw unavailable();
        if (this.isVoidBroken) throw new Error('Broken');
        if (this.isPaymentRunning) {
          const message = 'A payment is in progress';
          throw new DomainError('failed_precondition', 'PAYMENT_IN_PROGRESS', message);
        }
        // A cancellation voids by its call and by its command.
        const isKnown = this.voids.some((one) => one.request.invoiceId === request.invoiceId);
        if (!isKnown) this.voids.push({ request, context });
        return { invoice: this.invoiceOf(request.invoiceId) };
      },
      reserveForChange: async (request) => {
        this.credits.reserve(request);
        return {};
      },
      releaseForChange: async (request, context) => {
        this.credits.answer();
        this.freed.push({ request, context });
        return {};
      },
      issueCreditNote: async (request, context) => {
        if (this.isCheckoutDown) throw unavailable();
        this.creditNotes.push({ request, context });
        return { creditNote: undefined };
      },
      endCollection: async (request, context) => {
        if (this.isCheckoutDown) throw unavailable();
        if (!this.invoices.some(({ request: { invoiceId } }) => invoiceId === request.invoiceId)) {
          throw notFound('Invoice');
        }
        this.endings.push({ request, context });
        return { invoice: undefined };
      },
      resolveAuthorization: async (request, context) => {
        if (this.isCheckoutDown) throw unavailable();
        this.authorizations.push({ request, context });
        return { paymentMethodId: 'method' };
      },
    };
  }

  private invoiceOf(id: string): Invoice | undefined {
    const made = this.invoices.find(({ request }) => request.invoiceId === id);
    if (made === undefined) return undefined;
    const isVoid = this.voids.some(({ request }) => request.invoiceId === id);
    const { changeInvoices } = this;
    return seenInvoice(made.request, { isPaid: this.paid.has(id), isVoid, changeInvoices });
  }

  private createInvoice(request: CreateInvoiceRequest, context: CallContext) {
    if (this.isCheckoutDown || this.isInvoicingDown) throw unavailable();
    this.invoices.push({ request, context });
    const invoice = anInvoice(request, InvoiceStatus.INVOICE_STATUS_OPEN);
    return { invoice, collecting: this.isCollecting };
  }

  private discount(): AsyncHandlers<DiscountServiceServer> {
    return {
      createDiscount: neverAsked,
      getDiscount: neverAsked,
      listDiscounts: neverAsked,
      updateDiscount: neverAsked,
      validateCode: neverAsked,
      releaseRedemption: async (request, context) => {
        this.releases.push({ request, context });
        return {};
      },
      quoteRedemption: async ({ discountId }) => ({
        discount: known(this.discounts, discountId, 'Discount'),
      }),
      reserveRedemption: async (request, context) => {
        const discount = known(this.discounts, request.discountId, 'Discount');
        this.reservations.push({ request, context });
        await this.onReservation(request);
        this.lostRedemptions.delete(request.holderId);
        return { discount };
      },
      confirmRedemption: async (request, context) => {
        known(this.discounts, request.discountId, 'Redemption');
        if (this.lostRedemptions.has(request.holderId)) throw notFound('Redemption');
        this.confirmations.push({ request, context });
        return {};
      },
    };
  }
}

/** The service with peers that know one customer and one product, and all its RPCs. */
export interface ServiceUnderTest {
  readonly configuration: SubscriptionConfiguration;
  readonly peers: PeerServers;
  readonly subscription: Peer<SubscriptionServiceServer>;
  readonly change: Peer<ChangeServiceServer>;
  readonly erasure: Peer<ErasureServiceServer>;
  readonly dueWork: Peer<DueWorkServiceServer>;
  create(
    parts: Partial<CreateSubscriptionRequest>,
    context: CallContext,
  ): Promise<ProtoSubscription>;
  get(id: string, context: CallContext): Promise<ProtoSubscription>;
  /** The events of one subscription in the order of their log. */
  eventsOf(id: string): Promise<LoggedEvent[]>;
  stop(): Promise<void>;
}

export async function startServiceUnderTest(clock = systemClock): Promise<ServiceUnderTest> {
  const peers = new PeerServers();
  peers.customers.set('customer', aProtoCustomer());
  peers.products.set('product', aProduct());
  await peers.start();
  const configuration = testServiceConfiguration('subscription', {
    CATALOG_ADDRESS: peers.address,
    CUSTOMER_ADDRESS: peers.address,
    CHECKOUT_ADDRESS: peers.address,
    DISCOUNT_ADDRESS: peers.address,
    METERING_ADDRESS: peers.address,
  });
  const service = await start(configuration, { clock });
  const dialled = { address: service.address, service: 'test' };
  const subscription = connectPeer<SubscriptionServiceServer>(SubscriptionServiceService, dialled);
  const change = connectPeer<ChangeServiceServer>(ChangeServiceService, dialled);
  const erasure = connectPeer<ErasureServiceServer>(ErasureServiceService, dialled);
  const dueWork = connectPeer<DueWorkServiceServer>(DueWorkServiceService, dialled);
  const eventLog = connectPeer<EventLogServiceServer>(EventLogServiceService, dialled);
  const present = (answer: { subscription: ProtoSubscription | undefined }) => {
    if (answer.subscription === undefined) throw new Error('No subscription came back');
    return answer.subscription;
  };
  return {
    configuration,
    peers,
    subscription,
    change,
    erasure,
    dueWork,
    create: async (parts, context) =>
      present(
        await subscription.createSubscription(
          {
            customerId: 'customer',
            productId: 'product',
            startAt: undefined,
            metadata: undefined,
            ...parts,
          },
          context,
        ),
      ),
    get: async (id, context) => present(await subscription.getSubscription({ id }, context)),
    eventsOf: (id) => readLoggedEvents(eventLog, id),
    stop: async () => {
      for (const peer of [subscription, change, erasure, dueWork, eventLog]) peer.close();
      await service.stop();
      await peers.stop();
      await dropTestDatabase(configuration);
      await dropTestStream(configuration);
    },
  };
}

function known<T>(all: ReadonlyMap<string, T>, id: string, resource: string): T {
  const one = all.get(id);
  if (one === undefined) throw notFound(resource);
  return one;
}

function unavailable(): DomainError {
  return new DomainError('unavailable', 'PEER_UNAVAILABLE', 'Service unavailable');
}

const neverAsked = (): Promise<never> => Promise.reject(new Error('This service never asks that'));
