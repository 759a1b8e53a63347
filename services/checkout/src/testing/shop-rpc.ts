import { systemClock } from '@billing/chassis/clock';
import { serveInTest, type TestServer } from '@billing/chassis/testing';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import {
  type AsyncHandlers,
  type RpcService,
  type RpcDependencies,
  rpcService,
} from '@billing/chassis/rpc';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import {
  BillingInterval,
  type CatalogServiceServer,
  CatalogServiceService,
  type Price,
  PricingType,
  Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  Customer,
  type CustomerServiceServer,
  CustomerServiceService,
  type FillCustomerRequest,
} from '@billing/proto/billing/customer/v1/customer';
import {
  Discount,
  type DiscountServiceServer,
  DiscountServiceService,
  DiscountType,
} from '@billing/proto/billing/discount/v1/discount';
import {
  type CreateFromCheckoutRequest,
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';

const logger = createLogger({ service: 'test', level: 'silent' });

/** Simulates the peers of checkout, with data set by the test. */
export class Shop {
  readonly customers = new Map<string, Customer>();
  readonly products = new Map<string, Product>();
  readonly supersededPrices = new Map<string, Price>();
  readonly discounts = new Map<string, Discount>();
  /** Terms that are quoted in place of those that a reservation gets. */
  readonly quoted = new Map<string, Discount>();
  /** State of each redemption, by its holder. */
  readonly redemptions = new Map<string, 'HELD' | 'CONFIRMED' | 'RELEASED'>();
  /** Requests from which subscriptions were created, by id, including retries. */
  readonly subscribed = new Map<string, CreateFromCheckoutRequest[]>();
  /** Facts that payers have typed, in the order of their calls. */
  readonly filled: FillCustomerRequest[] = [];
  /**
   * Called before each answer with the name of the call and its request; an error thrown here is
   * the answer.
   */
  before: (call: string, request: object) => Promise<void> | void = () => undefined;
  private server: TestServer | undefined;

  aCustomer(customer: Partial<Customer> = {}): Customer {
    const made = Customer.fromPartial({
      id: newId(),
      email: 'ada@example.com',
      currency: 'USD',
      collectionMethod: 1,
      createdAt: systemClock.now(),
      ...customer,
    });
    this.customers.set(made.id, made);
    return made;
  }

  aProduct(price: Partial<Price> = {}, product: Partial<Product> = {}): Product {
    const id = newId();
    const made = Product.fromPartial({
      id,
      name: 'Pro',
      active: true,
      ...product,
      price: {
        id: newId(),
        productId: id,
        type: PricingType.PRICING_TYPE_FLAT,
        currency: 'USD',
        amount: 2900n,
        billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
        intervalCount: 1,
        active: true,
        createdAt: systemClock.now(),
        ...price,
      },
    });
    this.products.set(id, made);
    return made;
  }

  aDiscount(discount: Partial<Discount> = {}): Discount {
    const made = Discount.fromPartial({
      id: newId(),
      name: 'Half',
      type: DiscountType.DISCOUNT_TYPE_PERCENTAGE,
      value: '50',
      active: true,
      ...discount,
    });
    this.discounts.set(made.id, made);
    return made;
  }

  async start(): Promise<string> {
    this.server = await serveInTest(
      [this.catalog(), this.customer(), this.discount(), this.subscription()].map((bind) =>
        bind({ service: 'shop', clock: systemClock, logger }),
      ),
    );
    return this.server.address;
  }

  async stop(): Promise<void> {
    await this.server?.stop({ drainDelayMs: 0, graceMs: 200 });
  }

  private catalog() {
    return this.serve<CatalogServiceServer>(CatalogServiceService, {
      getProduct: async ({ id }) => ({ product: found(this.products.get(id), 'Product') }),
      getProducts: async ({ ids }) => ({ products: these(this.products, ids) }),
      getPrice: async ({ id }) => {
        const current = [...this.products.values()].find(({ price }) => price?.id === id);
        if (current !== undefined) return { price: current.price, product: current };
        const price = found(this.supersededPrices.get(id), 'Product');
        return { price, product: this.products.get(price.productId) };
      },
    });
  }

  private customer() {
    return this.serve<CustomerServiceServer>(CustomerServiceService, {
      getCustomer: async ({ id }) => ({ customer: found(this.customers.get(id), 'Customer') }),
      getCustomers: async ({ ids }) => ({ customers: these(this.customers, ids) }),
      fixCurrency: async ({ id, currency }) => {
        const customer = found(this.customers.get(id), 'Customer');
        if (customer.currencyFixed !== true) {
          this.customers.set(id, { ...customer, currency, currencyFixed: true });
        }
        return { customer: this.customers.get(id) };
      },
      fillCustomer: async (request) => {
        this.filled.push(request);
        return { customer: this.customers.get(request.id) };
      },
    });
  }

  private discount() {
    return this.serve<DiscountServiceServer>(DiscountServiceService, {
      getDiscount: async ({ id }) => ({ discount: found(this.discounts.get(id), 'Discount') }),
      reserveRedemption: async ({ discountId, holderId }) => {
        const discount = this.discounts.get(discountId);
        if (discount?.active !== true) throw notFound('Discount');
        this.redemptions.set(holderId, 'HELD');
        return { discount };
      },
      quoteRedemption: async ({ discountId }) => {
        const discount = this.quoted.get(discountId) ?? this.discounts.get(discountId);
        if (discount?.active !== true) throw notFound('Discount');
        return { discount };
      },
      validateCode: async ({ code, holderId = '' }) => {
        const isTyped = (one: Discount) => one.code?.toLowerCase() === code.toLowerCase();
        const discount = found([...this.discounts.values()].find(isTyped), 'Discount');
        const taken = [...this.redemptions.values()].filter((state) => state !== 'RELEASED');
        const isExhausted = taken.length >= (discount.maxRedemptions ?? Infinity);
        if (isExhausted && !this.redemptions.has(holderId)) throw notFound('Discount');
        return { discount };
      },
      confirmRedemption: async ({ holderId }) => {
        this.redemptions.set(holderId, 'CONFIRMED');
        return {};
      },
      releaseRedemption: async ({ holderId }) => {
        if (this.redemptions.get(holderId) === 'HELD') this.redemptions.set(holderId, 'RELEASED');
        return {};
      },
    });
  }

  private subscription() {
    return this.serve<SubscriptionServiceServer>(SubscriptionServiceService, {
      createFromCheckout: async (request) => {
        this.subscribed.set(request.id, [...(this.subscribed.get(request.id) ?? []), request]);
        return { subscription: undefined };
      },
    });
  }

  private serve<S>(
    definition: Parameters<typeof rpcService>[0],
    handlers: Partial<AsyncHandlers<S>>,
  ): (dependencies: RpcDependencies) => RpcService {
    const known = handlers as Readonly<Record<string, (...of: unknown[]) => Promise<unknown>>>;
    const all = Object.fromEntries(
      Object.keys(definition).map((name) => [
        name,
        async (...of: unknown[]) => {
          await this.before(name, of[0] as object);
          const answer = known[name];
          if (answer === undefined) throw new Error(`Unexpected call ${name}`);
          return answer(...of);
        },
      ]),
    );
    return rpcService(definition, all as never);
  }
}

/** Error of a peer that is temporarily unavailable. */
export function peerUnavailable(): DomainError {
  return new DomainError('unavailable', 'AWAY', 'Service unavailable');
}

function these<T>(known: ReadonlyMap<string, T>, ids: readonly string[]): T[] {
  return ids.map((id) => known.get(id)).filter((one) => one !== undefined);
}

function found<T>(value: T | undefined, resource: string): T {
  if (value === undefined) throw notFound(resource);
  return value;
}
