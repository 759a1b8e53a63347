import { apiKeyRoutes } from './routes/api-keys';
import { balanceRoutes } from './routes/balances';
import { checkoutRoutes } from './routes/checkout';
import { checkoutLinkRoutes } from './routes/checkout-links';
import { creditNoteRoutes } from './routes/credit-notes';
import { customerUsageRoutes } from './routes/customer-usage';
import { customerRoutes } from './routes/customers';
import { discountRoutes } from './routes/discounts';
import { eInvoiceRoutes } from './routes/e-invoices';
import { emailSettingsRoutes } from './routes/emails/email-settings';
import { emailRoutes } from './routes/emails/emails';
import { eventRoutes } from './routes/events';
import { invoiceRoutes } from './routes/invoices';
import { meterRoutes } from './routes/meters';
import { meterPriceRoutes } from './routes/meter-prices';
import { exportRoutes } from './routes/exports';
import { portalSessionRoutes } from './routes/portal-sessions';
import { portalSettingsRoutes } from './routes/portal-settings';
import { previewRoutes } from './routes/subscriptions/previews';
import { priceMigrationRoutes } from './routes/subscriptions/price-migrations';
import { productRoutes } from './routes/products';
import { refundRoutes } from './routes/refunds';
import { restoreRoutes } from './routes/installation/restores';
import { brandingRoutes } from './routes/branding';
import { sellerRoutes } from './routes/seller';
import { taxRateRoutes } from './routes/tax/tax-rates';
import { taxReportRoutes } from './routes/tax/tax-report';
import { sandboxRoutes } from './routes/sandboxes';
import { subscriptionChangeRoutes } from './routes/subscriptions/subscription-changes';
import { subscriptionRoutes } from './routes/subscriptions/subscriptions';
import { webhookDeliveryRoutes } from './routes/webhooks/webhook-deliveries';
import { webhookEndpointRoutes } from './routes/webhooks/webhook-endpoints';
import { webhookEventRoutes } from './routes/webhooks/webhook-events';
import type { Route } from './routes/route';

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
