import { systemClock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { connectPeer, type Peer, type PeerOptions } from '@billing/chassis/peer';
import {
  transportSecurityOf,
  type TransportSecurityVariables,
} from '@billing/chassis/transport-security';
import {
  type CatalogServiceServer,
  CatalogServiceService,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  type BalanceServiceServer,
  BalanceServiceService,
} from '@billing/proto/billing/checkout/v1/balance';
import {
  type BrandingServiceServer,
  BrandingServiceService,
} from '@billing/proto/billing/checkout/v1/branding';
import {
  type SellerServiceServer,
  SellerServiceService,
} from '@billing/proto/billing/checkout/v1/seller';
import {
  type CheckoutServiceServer,
  CheckoutServiceService,
} from '@billing/proto/billing/checkout/v1/checkout';
import {
  type CheckoutLinkServiceServer,
  CheckoutLinkServiceService,
} from '@billing/proto/billing/checkout/v1/checkout_link';
import {
  type CheckoutReportServiceServer,
  CheckoutReportServiceService,
} from '@billing/proto/billing/checkout/v1/report';
import {
  type HostedPageServiceServer,
  HostedPageServiceService,
} from '@billing/proto/billing/checkout/v1/hosted_page';
import {
  type PaymentServiceServer,
  PaymentServiceService,
} from '@billing/proto/billing/checkout/v1/payment';
import {
  type PaymentMethodServiceServer,
  PaymentMethodServiceService,
} from '@billing/proto/billing/checkout/v1/payment_method';
import {
  type SessionServiceServer,
  SessionServiceService,
} from '@billing/proto/billing/checkout/v1/session';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type PortalServiceServer,
  PortalServiceService,
} from '@billing/proto/billing/customer/v1/portal';
import {
  type DiscountServiceServer,
  DiscountServiceService,
} from '@billing/proto/billing/discount/v1/discount';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import {
  type LostCallServiceServer,
  LostCallServiceService,
} from '@billing/proto/billing/identity/v1/lost_call';
import {
  type OperatorServiceServer,
  OperatorServiceService,
} from '@billing/proto/billing/identity/v1/operator';
import {
  type RequestLogServiceServer,
  RequestLogServiceService,
} from '@billing/proto/billing/identity/v1/request_log';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import {
  type UsageReportServiceServer,
  UsageReportServiceService,
} from '@billing/proto/billing/metering/v1/report';
import {
  type WebhookReportServiceServer,
  WebhookReportServiceService,
} from '@billing/proto/billing/notifier/v1/report';
import {
  type CreditNoteServiceServer,
  CreditNoteServiceService,
} from '@billing/proto/billing/checkout/v1/credit_note';
import {
  type RefundServiceServer,
  RefundServiceService,
} from '@billing/proto/billing/checkout/v1/refund';
import {
  type ChangeServiceServer,
  ChangeServiceService,
} from '@billing/proto/billing/subscription/v1/change_service';
import {
  type PriceMigrationServiceServer,
  PriceMigrationServiceService,
} from '@billing/proto/billing/subscription/v1/price_migration';
import {
  type PlanServiceServer,
  PlanServiceService,
} from '@billing/proto/billing/subscription/v1/plan';
import {
  type SubscriptionReportServiceServer,
  SubscriptionReportServiceService,
} from '@billing/proto/billing/subscription/v1/report';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';
import { connectNotifier, type NotifierPeers } from './notifier-peers';
import { ResourceScans } from './resource-scans';
import { ResourceSearch } from './resource-search';
import { ServiceStatuses } from './service-statuses';

/** Clients of the services behind the gateway. */
export interface Peers extends NotifierPeers {
  readonly identity: Peer<IdentityServiceServer>;
  readonly lostCall: Peer<LostCallServiceServer>;
  readonly operator: Peer<OperatorServiceServer>;
  readonly catalog: Peer<CatalogServiceServer>;
  readonly customer: Peer<CustomerServiceServer>;
  readonly portal: Peer<PortalServiceServer>;
  readonly discount: Peer<DiscountServiceServer>;
  readonly checkout: Peer<CheckoutServiceServer>;
  readonly session: Peer<SessionServiceServer>;
  readonly checkoutLink: Peer<CheckoutLinkServiceServer>;
  readonly balance: Peer<BalanceServiceServer>;
  readonly creditNote: Peer<CreditNoteServiceServer>;
  readonly refund: Peer<RefundServiceServer>;
  readonly seller: Peer<SellerServiceServer>;
  readonly branding: Peer<BrandingServiceServer>;
  readonly payment: Peer<PaymentServiceServer>;
  readonly paymentMethod: Peer<PaymentMethodServiceServer>;
  readonly hostedPage: Peer<HostedPageServiceServer>;
  readonly subscription: Peer<SubscriptionServiceServer>;
  readonly change: Peer<ChangeServiceServer>;
  readonly priceMigration: Peer<PriceMigrationServiceServer>;
  readonly plan: Peer<PlanServiceServer>;
  readonly metering: Peer<MeteringServiceServer>;
  readonly requestLog: Peer<RequestLogServiceServer>;
  readonly usageReport: Peer<UsageReportServiceServer>;
  readonly webhookReport: Peer<WebhookReportServiceServer>;
  readonly scans: ResourceScans;
  readonly search: ResourceSearch;
  readonly system: ServiceStatuses;
  readonly subscriptionReport: Peer<SubscriptionReportServiceServer>;
  readonly checkoutReport: Peer<CheckoutReportServiceServer>;
}

/** Settings of the peers: their addresses and how calls to them are secured. */
export interface PeerSettings extends TransportSecurityVariables {
  /** Version of the gateway, part of its status. */
  readonly SERVICE_VERSION: string;
  readonly IDENTITY_ADDRESS: string;
  readonly CATALOG_ADDRESS: string;
  readonly CUSTOMER_ADDRESS: string;
  readonly DISCOUNT_ADDRESS: string;
  readonly CHECKOUT_ADDRESS: string;
  readonly SUBSCRIPTION_ADDRESS: string;
  readonly METERING_ADDRESS: string;
  readonly NOTIFIER_ADDRESS: string;
}

/** Calls without a tenant: a session, an invitation or credentials identify the organization. */
const operatorCallsBySession: PeerOptions<OperatorServiceServer>['withoutTenant'] = [
  'getInvitation',
  'acceptInvitation',
  'logIn',
  'logInByProvider',
  'authenticateOperator',
  'logOut',
  'changePassword',
  'changeName',
  'changeEmail',
  'listSessions',
  'endSession',
  'createResetLink',
  'askForResetLink',
  'getResetLink',
  'resetPassword',
  'beginSecondFactor',
  'confirmSecondFactor',
  'deleteSecondFactor',
  'resetSecondFactor',
  'updateSignInRules',
  'listOperators',
  'inviteOperator',
  'updateOperator',
  'listEnvironments',
  'beginAuditEntry',
  'listAuditEntries',
  'exportAuditEntries',
];

/** Creates clients of all services. */
export function connectPeers(config: PeerSettings, logger?: Logger): Peers {
  const caller: Caller = { service: 'gateway', security: transportSecurityOf(config, logger) };
  return {
    ...connectCheckout({ ...caller, address: config.CHECKOUT_ADDRESS }),
    ...connectNotifier({ ...caller, address: config.NOTIFIER_ADDRESS }),
    ...connectReports(caller, config),
    scans: connectScans(caller, config),
    search: connectSearch(caller, config),
    system: connectSystem(caller, config),
    identity: connectPeer<IdentityServiceServer>(IdentityServiceService, {
      ...caller,
      address: config.IDENTITY_ADDRESS,
      withoutTenant: ['authenticate', 'ensureOrganization', 'findEnvironment', 'getRecovery'],
    }),
    lostCall: connectPeer<LostCallServiceServer>(LostCallServiceService, {
      ...caller,
      address: config.IDENTITY_ADDRESS,
      withoutTenant: ['recordLostCall', 'claimLostCall', 'forgetLostCall', 'listLostCalls'],
    }),
    operator: connectPeer<OperatorServiceServer>(OperatorServiceService, {
      ...caller,
      address: config.IDENTITY_ADDRESS,
      withoutTenant: operatorCallsBySession,
    }),
    catalog: connectPeer<CatalogServiceServer>(CatalogServiceService, {
      ...caller,
      address: config.CATALOG_ADDRESS,
    }),
    customer: connectPeer<CustomerServiceServer>(CustomerServiceService, {
      ...caller,
      address: config.CUSTOMER_ADDRESS,
    }),
    portal: connectPeer<PortalServiceServer>(PortalServiceService, {
      ...caller,
      address: config.CUSTOMER_ADDRESS,
      withoutTenant: ['findPortalSession', 'enterPortal', 'findPortalVisit', 'leavePortal'],
    }),
    discount: connectPeer<DiscountServiceServer>(DiscountServiceService, {
      ...caller,
      address: config.DISCOUNT_ADDRESS,
    }),
    subscription: connectPeer<SubscriptionServiceServer>(SubscriptionServiceService, {
      ...caller,
      address: config.SUBSCRIPTION_ADDRESS,
    }),
    priceMigration: connectPeer<PriceMigrationServiceServer>(PriceMigrationServiceService, {
      ...caller,
      address: config.SUBSCRIPTION_ADDRESS,
    }),
    change: connectPeer<ChangeServiceServer>(ChangeServiceService, {
      ...caller,
      address: config.SUBSCRIPTION_ADDRESS,
    }),
    plan: connectPeer<PlanServiceServer>(PlanServiceService, {
      ...caller,
      address: config.SUBSCRIPTION_ADDRESS,
    }),
    metering: connectPeer<MeteringServiceServer>(MeteringServiceService, {
      ...caller,
      address: config.METERING_ADDRESS,
    }),
  };
}

type Caller = Pick<PeerOptions<never>, 'service' | 'security'>;

function connectScans(caller: Caller, config: PeerSettings): ResourceScans {
  return new ResourceScans({ ...caller, addresses: addressesOf(config) });
}

function connectSearch(caller: Caller, config: PeerSettings): ResourceSearch {
  return new ResourceSearch({ ...caller, addresses: addressesOf(config) });
}

function connectSystem(caller: Caller, config: PeerSettings): ServiceStatuses {
  return new ServiceStatuses({
    ...caller,
    version: config.SERVICE_VERSION,
    clock: systemClock,
    addresses: addressesOf(config),
  });
}

/** Address of each service, in the order in which the System page lists them. */
function addressesOf(config: PeerSettings) {
  return {
    identity: config.IDENTITY_ADDRESS,
    catalog: config.CATALOG_ADDRESS,
    customer: config.CUSTOMER_ADDRESS,
    discount: config.DISCOUNT_ADDRESS,
    checkout: config.CHECKOUT_ADDRESS,
    subscription: config.SUBSCRIPTION_ADDRESS,
    metering: config.METERING_ADDRESS,
    notifier: config.NOTIFIER_ADDRESS,
  };
}

/** Clients for data that only the dashboard reads. */
function connectReports(
  caller: Caller,
  config: PeerSettings,
): Pick<
  Peers,
  'requestLog' | 'usageReport' | 'webhookReport' | 'subscriptionReport' | 'checkoutReport'
> {
  return {
    requestLog: connectPeer<RequestLogServiceServer>(RequestLogServiceService, {
      ...caller,
      address: config.IDENTITY_ADDRESS,
      withoutTenant: ['recordRequests'],
    }),
    usageReport: connectPeer<UsageReportServiceServer>(UsageReportServiceService, {
      ...caller,
      address: config.METERING_ADDRESS,
    }),
    subscriptionReport: connectPeer<SubscriptionReportServiceServer>(
      SubscriptionReportServiceService,
      { ...caller, address: config.SUBSCRIPTION_ADDRESS },
    ),
    checkoutReport: connectPeer<CheckoutReportServiceServer>(CheckoutReportServiceService, {
      ...caller,
      address: config.CHECKOUT_ADDRESS,
    }),
    webhookReport: connectPeer<WebhookReportServiceServer>(WebhookReportServiceService, {
      ...caller,
      address: config.NOTIFIER_ADDRESS,
    }),
  };
}

/** Clients of the checkout service, which owns payments, invoices and sessions. */
function connectCheckout(
  options: Caller & { address: string },
): Pick<
  Peers,
  | 'balance'
  | 'creditNote'
  | 'refund'
  | 'seller'
  | 'branding'
  | 'checkout'
  | 'session'
  | 'checkoutLink'
  | 'payment'
  | 'paymentMethod'
  | 'hostedPage'
> {
  return {
    balance: connectPeer<BalanceServiceServer>(BalanceServiceService, options),
    creditNote: connectPeer<CreditNoteServiceServer>(CreditNoteServiceService, options),
    refund: connectPeer<RefundServiceServer>(RefundServiceService, options),
    seller: connectPeer<SellerServiceServer>(SellerServiceService, {
      ...options,
      withoutTenant: ['getLogo'],
    }),
    branding: connectPeer<BrandingServiceServer>(BrandingServiceService, options),
    checkout: connectPeer<CheckoutServiceServer>(CheckoutServiceService, options),
    session: connectPeer<SessionServiceServer>(SessionServiceService, {
      ...options,
    }),
    checkoutLink: connectPeer<CheckoutLinkServiceServer>(CheckoutLinkServiceService, {
      ...options,
    }),
    payment: connectPeer<PaymentServiceServer>(PaymentServiceService, {
      ...options,
      withoutTenant: ['receiveProviderEvent'],
    }),
    paymentMethod: connectPeer<PaymentMethodServiceServer>(PaymentMethodServiceService, options),
    hostedPage: connectPeer<HostedPageServiceServer>(HostedPageServiceService, {
      ...options,
      withoutTenant: ['findHostedPage'],
    }),
  };
}
