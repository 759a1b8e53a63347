import { apiKeyRoutes } from './api-keys';
import { balanceRoutes } from './balances';
import { checkoutRoutes } from './checkout';
import { checkoutLinkRoutes } from './checkout-links';
import { creditNoteRoutes } from './credit-notes';
import { customerUsageRoutes } from './customer-usage';
import { customerRoutes } from './customers';
import { discountRoutes } from './discounts';
import { eInvoiceRoutes } from './e-invoices';
import { emailSettingsRoutes } from './emails/email-settings';
import { emailRoutes } from './emails/emails';
import { eventRoutes } from './events';
import { invoiceRoutes } from './invoices';
import { meterRoutes } from './meters';
import { meterPriceRoutes } from './meter-prices';
import { exportRoutes } from './exports';
import { portalSessionRoutes } from './portal-sessions';
import { portalSettingsRoutes } from './portal-settings';
import { previewRoutes } from './subscriptions/previews';
import { priceMigrationRoutes } from './subscriptions/price-migrations';
import { productRoutes } from './products';
import { refundRoutes } from './refunds';
import { restoreRoutes } from './installation/restores';
import { brandingRoutes } from './branding';
import { sellerRoutes } from './seller';
import { taxRateRoutes } from './tax/tax-rates';
import { taxReportRoutes } from './tax/tax-report';
import { sandboxRoutes } from './sandboxes';
import { subscriptionChangeRoutes } from './subscriptions/subscription-changes';
import { subscriptionRoutes } from './subscriptions/subscriptions';
import { webhookDeliveryRoutes } from './webhooks/webhook-deliveries';
import { webhookEndpointRoutes } from './webhooks/webhook-endpoints';
import { webhookEventRoutes } from './webhooks/webhook-events';
import type { Route } from './route';

/** All operations under /v1. */
export const routes: readonly Route[] = [
  ...customerRoutes,
  ...customerUsageRoutes,
  ...productRoutes,
  ...meterPriceRoutes,
  ...checkoutRoutes,
  ...checkoutLinkRoutes,
  ...discountRoutes,
  ...subscriptionRoutes,
  ...subscriptionChangeRoutes,
  ...previewRoutes,
  ...priceMigrationRoutes,
  ...invoiceRoutes,
  ...creditNoteRoutes,
  ...eInvoiceRoutes,
  ...refundRoutes,
  ...balanceRoutes,
  ...sellerRoutes,
  ...brandingRoutes,
  ...taxRateRoutes,
  ...taxReportRoutes,
  ...meterRoutes,
  ...eventRoutes,
  ...portalSessionRoutes,
  ...portalSettingsRoutes,
  ...webhookEndpointRoutes,
  ...webhookDeliveryRoutes,
  ...webhookEventRoutes,
  ...emailRoutes,
  ...emailSettingsRoutes,
  ...exportRoutes,
  ...restoreRoutes,
  ...sandboxRoutes,
  ...apiKeyRoutes,
];
