import type { Callers } from '@billing/chassis/callers';
import type { CustomerServiceServer } from '@billing/proto/billing/customer/v1/customer';
import type { PortalServiceServer } from '@billing/proto/billing/customer/v1/portal';

// Services that may call each method, if certificates identify the caller.

export const customerCallers: Callers<CustomerServiceServer> = {
  createCustomer: ['gateway'],
  getCustomer: ['gateway', 'checkout', 'subscription', 'metering', 'notifier'],
  getCustomers: ['gateway', 'checkout', 'subscription'],
  identifyCustomers: ['metering'],
  listCustomers: ['gateway'],
  updateCustomer: ['gateway'],
  deleteCustomer: ['gateway'],
  fixCurrency: ['gateway', 'checkout', 'subscription'],
  fillCustomer: ['checkout'],
};

export const portalCallers: Callers<PortalServiceServer> = {
  createPortalSession: ['gateway'],
  startPortalSignIns: ['gateway'],
  getPortalUrl: ['gateway'],
  findPortalSession: ['gateway'],
  enterPortal: ['gateway'],
  findPortalVisit: ['gateway'],
  leavePortal: ['gateway'],
  getPortalSettings: ['gateway'],
  updatePortalSettings: ['gateway'],
};
