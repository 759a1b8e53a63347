import type { Callers } from '@billing/chassis/callers';
import type { MeteringServiceServer } from '@billing/proto/billing/metering/v1/metering';
import type { UsageReportServiceServer } from '@billing/proto/billing/metering/v1/report';

// Which services may call each method of this one where certificates say who calls.

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
};

export const usageReportCallers: Callers<UsageReportServiceServer> = {
  getUsageReport: ['gateway'],
  getCreditReport: ['gateway'],
};
