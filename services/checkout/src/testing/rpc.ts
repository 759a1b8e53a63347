import type { ServiceOverrides } from '@billing/chassis/service';
import { type Clock, systemClock } from '@billing/chassis/clock';
import type { CallContext } from '@billing/chassis/call-context';
import {
  serveInTest,
  type TestServer,
  dropTestDatabase,
  dropTestStream,
  eventually,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectPeer } from '@billing/chassis/peer';
import { rpcService } from '@billing/chassis/rpc';
import { type DomainError, notFound } from '@billing/kernel/domain-error';
import {
  type BalanceServiceServer,
  BalanceServiceService,
} from '@billing/proto/billing/checkout/v1/balance';
import {
  BillingReason,
  type CheckoutServiceServer,
  CheckoutServiceService,
  type CreateInvoiceRequest,
} from '@billing/proto/billing/checkout/v1/checkout';
import {
  type CreditNoteServiceServer,
  CreditNoteServiceService,
} from '@billing/proto/billing/checkout/v1/credit_note';
import { TaxReason } from '@billing/proto/billing/checkout/v1/invoice_tax';
import {
  type DueWorkServiceServer,
  DueWorkServiceService,
} from '@billing/proto/billing/clock/v1/due_work';
import {
  type PaymentServiceServer,
  PaymentServiceService,
} from '@billing/proto/billing/checkout/v1/payment';
import {
  type PaymentMethodServiceServer,
  PaymentMethodServiceService,
} from '@billing/proto/billing/checkout/v1/payment_method';
import {
  type RefundServiceServer,
  RefundServiceService,
} from '@billing/proto/billing/checkout/v1/refund';
import {
  type SellerServiceServer,
  SellerServiceService,
} from '@billing/proto/billing/checkout/v1/seller';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import {
  type ApplyCollectionResultRequest,
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { CheckoutConfiguration } from '../config';
import { start } from '../service';
import { testHostedPageSecret } from './invoice';

// Shared by the gRPC tests: a running checkout, a simulated subscription service, and its requests.

export const periodStart = new Date('2026-01-01T00:00:00.000Z');
const periodEnd = new Date('2026-02-01T00:00:00.000Z');
const logger = createLogger({ service: 'test', level: 'silent' });

/** Starts checkout on its own database, with a subscription service that accepts its results. */
export async function startCheckout(
  clock: Clock = systemClock,
  settings: Partial<CheckoutConfiguration> = {},
  overrides: ServiceOverrides = {},
) {
  const subscription = new ResultReceiver();
  const configuration = testServiceConfiguration('checkout', {
    SUBSCRIPTION_ADDRESS: await subscription.start(),
    CATALOG_ADDRESS: 'dns:///127.0.0.1:1',
    CUSTOMER_ADDRESS: 'dns:///127.0.0.1:1',
    DISCOUNT_ADDRESS: 'dns:///127.0.0.1:1',
    DUNNING_RETRY_DAYS: [3, 7, 14],
    RETENTION_SESSIONS: 400,
    HOSTED_PAGE_URL: 'https://pay.example',
    HOSTED_PAGE_SECRET: testHostedPageSecret,
    ...settings,
  });
  const service = await start(configuration, { ...overrides, clock });
  const { address } = service;
  const options = { address, service: 'test' };
  const checkout = connectPeer<CheckoutServiceServer>(CheckoutServiceService, options);
  const payments = connectPeer<PaymentServiceServer>(PaymentServiceService, {
    ...options,
    withoutTenant: ['receiveProviderEvent'],
  });
  const methods = connectPeer<PaymentMethodServiceServer>(PaymentMethodServiceService, options);
  const seller = connectPeer<SellerServiceServer>(SellerServiceService, {
    ...options,
    withoutTenant: ['getLogo'],
  });
  const balances = connectPeer<BalanceServiceServer>(BalanceServiceService, options);
  const creditNotes = connectPeer<CreditNoteServiceServer>(CreditNoteServiceService, options);
  const refunds = connectPeer<RefundServiceServer>(RefundServiceService, options);
  const dueWork = connectPeer<DueWorkServiceServer>(DueWorkServiceService, {
    ...options,
    withoutTenant: ['getNextDue', 'runDue', 'getActivity'],
  });
  const stop = async () => {
    checkout.close();
    payments.close();
    methods.close();
    seller.close();
    balances.close();
    creditNotes.close();
    refunds.close();
    dueWork.close();
    await service.stop();
    await subscription.stop();
    await dropTestDatabase(configuration);
    await dropTestStream(configuration);
  };
  const peers = { checkout, payments, methods, seller, balances, creditNotes, refunds, dueWork };
  return { ...peers, address, subscription, configuration, stop };
}

export type RunningCheckout = Awaited<ReturnType<typeof startCheckout>>;

/** A result, with the context of its call. */
export type ReceivedResult = ApplyCollectionResultRequest & { readonly context: CallContext };

/** Simulates the subscription service: accepts results, or refuses them for a while. */
class ResultReceiver {
  private readonly taken: ReceivedResult[] = [];
  private readonly refusals = new Map<string, DomainError[]>();
  /** Ids of stored changes. */
  readonly changes = new Set<string>();
  private server: TestServer | undefined;

  async start(): Promise<string> {
    const unknown = () => Promise.reject(notFound('Subscription'));
    const bind = rpcService<SubscriptionServiceServer>(SubscriptionServiceService, {
      createSubscription: unknown,
      getSubscription: unknown,
      listSubscriptions: unknown,
      updateSubscription: unknown,
      cancelSubscription: unknown,
      uncancelSubscription: unknown,
      createFromCheckout: unknown,
      listUsagePeriods: unknown,
      billEndedSubscriptions: unknown,
      checkSubscriptionRedemption: unknown,
      checkChange: ({ changeId }) => Promise.resolve({ exists: this.changes.has(changeId) }),
      applyCollectionResult: (request, context) => {
        const refusal = this.refusals.get(request.subscriptionId)?.shift();
        if (refusal !== undefined) return Promise.reject(refusal);
        this.taken.push({ ...request, context });
        return Promise.resolve({});
      },
    });
    this.server = await serveInTest([
      bind({ service: 'subscription', clock: systemClock, logger }),
    ]);
    return this.server.address;
  }

  refuse(subscriptionId: string, ...refusals: DomainError[]): void {
    this.refusals.set(subscriptionId, refusals);
  }

  of(subscriptionId: string): ReceivedResult[] {
    return this.taken.filter((result) => result.subscriptionId === subscriptionId);
  }

  /** Results of a subscription, once the given number has arrived. */
  results(subscriptionId: string, count: number): Promise<ReceivedResult[]> {
    return eventually(() => {
      const results = this.of(subscriptionId);
      if (results.length < count) throw new Error(`Only ${String(results.length)} results yet`);
      return results;
    });
  }

  /** First result of a subscription, once it has arrived. */
  first(subscriptionId: string): Promise<ReceivedResult> {
    return eventually(() => {
      const [result] = this.of(subscriptionId);
      if (result === undefined) throw new Error('No result yet');
      return result;
    });
  }

  async stop(): Promise<void> {
    await this.server?.stop({ drainDelayMs: 0, graceMs: 200 });
  }
}

export function aRequest(request: Partial<CreateInvoiceRequest> = {}): CreateInvoiceRequest {
  return {
    invoiceId: newId(),
    subscriptionId: newId(),
    customerId: newId(),
    billingReason: BillingReason.BILLING_REASON_SUBSCRIPTION_CREATE,
    collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
    currency: 'USD',
    periodStart,
    periodEnd,
    lineItems: [aLineItem()],
    authorizedTransactionId: undefined,
    discount: undefined,
    buyer: undefined,
    ...request,
  };
}

export function aLineItem(amount = 2900n): CreateInvoiceRequest['lineItems'][number] {
  return {
    id: '',
    invoiceId: '',
    description: 'Pro',
    quantity: '1',
    unitAmount: amount.toString(),
    amount,
    discountAmount: 0n,
    priceId: newId(),
    periodStart,
    periodEnd,
    details: {
      exactAmount: amount.toString(),
      billedQuantity: '1',
      includedUnits: '0',
      tiers: [],
      creditsUsed: [],
    },
    metadata: { 'a.b': 'kept' },
    ...{ pricedAmount: 0n, taxAmount: 0n, total: 0n, taxedAs: undefined },
    taxReason: TaxReason.TAX_REASON_UNSPECIFIED,
  };
}
