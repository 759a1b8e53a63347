import type { Callers } from '@billing/chassis/callers';
import type { MeteringServiceServer } from '@billing/proto/billing/metering/v1/metering';
import type { UsageAuditServiceServer } from '@billing/proto/billing/metering/v1/audit';
import type { UsageReportServiceServer } from '@billing/proto/billing/metering/v1/report';

// Services that may call each method, if certificates identify the caller.

export const meteringCallers: Callers<MeteringServiceServer> = {
  createMeter: ['gateway'],
  getMeters: ['gateway', 'catalog'],
  listMeters: ['gateway'],
  updateMeter: ['gateway'],
  deleteMeter: ['gateway'],
  ingestEvents: ['gateway'],
  listEvents: ['gateway'],
  createCreditGrant: ['gateway'],
  listCreditGrants: ['gateway'],
  getUsageState: ['gateway'],
  settleUsage: ['subscription'],
  quoteUsage: ['subscription'],
};

export const usageReportCallers: Callers<UsageReportServiceServer> = {
  getUsageReport: ['gateway'],
  getCreditReport: ['gateway'],
  // Checks of invariants call it without a certificate.
  getClosedCredits: [],
};

export const usageAuditCallers: Callers<UsageAuditServiceServer> = {
  // Operators call it without a certificate.
  checkUsage: [],
};
