import type { Callers } from '@billing/chassis/callers';
import type { ChangeServiceServer } from '@billing/proto/billing/subscription/v1/change_service';
import type { PlanServiceServer } from '@billing/proto/billing/subscription/v1/plan';
import type { PriceMigrationServiceServer } from '@billing/proto/billing/subscription/v1/price_migration';
import type { SubscriptionReportServiceServer } from '@billing/proto/billing/subscription/v1/report';
import type { SubscriptionServiceServer } from '@billing/proto/billing/subscription/v1/subscription';

// Services allowed to call each method, where client certificates identify the caller.

export const subscriptionCallers: Callers<SubscriptionServiceServer> = {
  createSubscription: ['gateway'],
  getSubscription: ['gateway', 'notifier'],
  listSubscriptions: ['gateway', 'checkout', 'customer'],
  updateSubscription: ['gateway'],
  cancelSubscription: ['gateway'],
  uncancelSubscription: ['gateway'],
  applyCollectionResult: ['checkout'],
  createFromCheckout: ['checkout'],
  checkSubscriptionRedemption: ['discount'],
  checkChange: ['checkout', 'discount'],
  listUsagePeriods: ['metering'],
  billEndedSubscriptions: ['customer'],
};

export const changeCallers: Callers<ChangeServiceServer> = {
  createChange: ['gateway'],
  getChange: ['gateway'],
  listChanges: ['gateway'],
  cancelChange: ['gateway'],
  previewChange: ['gateway'],
  previewCancellation: ['gateway'],
  previewNextInvoice: ['gateway'],
  previewPurchase: ['gateway'],
};

export const priceMigrationCallers: Callers<PriceMigrationServiceServer> = {
  createPriceMigration: ['gateway'],
  getPriceMigration: ['gateway'],
  listPriceMigrations: ['gateway'],
  listMigratedSubscriptions: ['gateway'],
  cancelPriceMigration: ['gateway'],
};

export const planCallers: Callers<PlanServiceServer> = {
  listPlans: ['gateway'],
};

export const subscriptionReportCallers: Callers<SubscriptionReportServiceServer> = {
  getRevenue: ['gateway'],
  getOverview: ['gateway'],
  listParkedSubscriptions: ['gateway'],
};
