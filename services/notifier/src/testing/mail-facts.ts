import type { Tenant } from '@billing/chassis/call-context';
import { type RunningService, Service } from '@billing/chassis/service';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import type { testServiceConfiguration } from '@billing/chassis/testing';
import { brandColors } from '@billing/kernel/brand-colors';
import { notFound } from '@billing/kernel/domain-error';
import {
  type CatalogServiceServer,
  CatalogServiceService,
  Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  type CheckoutServiceServer,
  CheckoutServiceService,
  Invoice,
  InvoiceStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import {
  Branding,
  type BrandingServiceServer,
  BrandingServiceService,
} from '@billing/proto/billing/checkout/v1/branding';
import {
  GetLogoResponse,
  type Logo,
  type SellerServiceServer,
  SellerServiceService,
} from '@billing/proto/billing/checkout/v1/seller';
import {
  Customer,
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import { InvoiceEvent } from '@billing/proto/billing/event/v1/invoice_event';

/** Facts that mails contain, and what was asked for. */
export interface MailFacts {
  /** Email addresses by customer; a customer without one is unknown. */
  readonly emails: Map<string, string>;
  /** Invoices that are not owed any more. */
  readonly settled: Set<string>;
  /** Invoices that were asked for. */
  readonly asked: Set<string>;
  /** Customer of the invoices that are asked for. */
  customerOfInvoices: string;
  /** Image of the seller of all environments. */
  logo: Logo | undefined;
  /** Images of sellers by their hash. */
  readonly logos: Map<string, Buffer>;
  /** True to refuse all calls. */
  isDown: boolean;
  /** True to refuse images. */
  areLogosDown: boolean;
  /** Images that were refused. */
  logosRefused: number;
}

/** The services whose facts mails contain, in one process. */
export type MailFactsService = MailFacts & RunningService;

const unused = () => Promise.reject(new Error('Not used by these tests'));

function handlersOf<S>(definition: object, handlers: Partial<AsyncHandlers<S>>): AsyncHandlers<S> {
  const others = Object.fromEntries(Object.keys(definition).map((name) => [name, unused]));
  return { ...others, ...handlers } as AsyncHandlers<S>;
}

export async function startMailFacts(
  configuration: ReturnType<typeof testServiceConfiguration>,
): Promise<MailFactsService> {
  const service = await Service.open('facts', configuration);
  const { facts, rpcs } = mailFacts();
  return Object.assign(facts, await service.serve(rpcs));
}

/** Facts of mails, and the calls that return them. */
export function mailFacts() {
  const emails = new Map<string, string>();
  const settled = new Set<string>();
  const asked = new Set<string>();
  const logos = new Map<string, Buffer>();
  const facts: MailFacts = {
    ...{ emails, settled, asked, logos },
    ...{
      customerOfInvoices: '',
      isDown: false,
      areLogosDown: false,
      logosRefused: 0,
      logo: undefined,
    },
  };
  const requireUp = () => {
    if (facts.isDown) throw new Error('Down');
  };
  const rpcs = [
    rpcService<CustomerServiceServer>(
      CustomerServiceService,
      handlersOf<CustomerServiceServer>(CustomerServiceService, {
        getCustomer: async ({ id }) => {
          requireUp();
          const email = emails.get(id);
          if (email === undefined) throw notFound('Customer');
          return { customer: Customer.fromPartial({ id, email, name: 'Ada' }) };
        },
      }),
    ),
    rpcService<CatalogServiceServer>(
      CatalogServiceService,
      handlersOf<CatalogServiceServer>(CatalogServiceService, {
        getProduct: async ({ id }) => ({ product: Product.fromPartial({ id, name: 'Pro' }) }),
      }),
    ),
    rpcService<BrandingServiceServer>(
      BrandingServiceService,
      handlersOf<BrandingServiceServer>(BrandingServiceService, {
        getBranding: async () => ({
          branding: Branding.fromPartial({
            colors: brandColors('#2447C9'),
            accentColor: '#2447C9',
            defaultLocale: 'en',
          }),
          seller: { legalName: 'Acme, Inc.', email: 'help@acme.example', logo: facts.logo },
        }),
      }),
    ),
    rpcService<SellerServiceServer>(
      SellerServiceService,
      handlersOf<SellerServiceServer>(SellerServiceService, {
        getLogo: async ({ sha256 }) => {
          if (facts.areLogosDown) {
            facts.logosRefused += 1;
            throw new Error('Down');
          }
          const data = logos.get(sha256);
          if (data === undefined) throw notFound('Logo');
          return GetLogoResponse.fromPartial({ contentType: 'image/png', data });
        },
      }),
    ),
    rpcService<CheckoutServiceServer>(
      CheckoutServiceService,
      handlersOf<CheckoutServiceServer>(CheckoutServiceService, {
        getInvoice: async ({ id }) => {
          asked.add(id);
          requireUp();
          const status = settled.has(id)
            ? InvoiceStatus.INVOICE_STATUS_PAID
            : InvoiceStatus.INVOICE_STATUS_OPEN;
          const at = new Date('2026-01-31T00:00:00.000Z');
          const invoice = Invoice.fromPartial({
            id,
            status,
            customerId: facts.customerOfInvoices,
            currency: 'USD',
            collectionMethod: 2,
            billingReason: 6,
            taxStatus: 1,
            createdAt: at,
            updatedAt: at,
          });
          return { left: [], reservedByOtherChange: false, invoice };
        },
      }),
    ),
  ];
  return { facts, rpcs };
}

/** Builds the event of an open invoice of a customer. */
export function openInvoiceEvent({ organizationId }: Tenant, id: string, customerId: string) {
  const at = new Date('2026-01-31T00:00:00.000Z');
  return InvoiceEvent.fromPartial({
    invoice: {
      id,
      organizationId,
      customerId,
      number: 'INV-000001',
      status: InvoiceStatus.INVOICE_STATUS_OPEN,
      collectionMethod: 2,
      billingReason: 6,
      currency: 'USD',
      total: 2900n,
      amountDue: 2900n,
      taxStatus: 1,
      hostedUrl: 'https://billing.example/i/secret',
      createdAt: at,
      updatedAt: at,
      version: 1n,
    },
  });
}
