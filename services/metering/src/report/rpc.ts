import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { type CalendarDay, lastDays } from '@billing/kernel/calendar-day';
import {
  type ClosedCredits as ProtoClosedCredits,
  type UsageReportServiceServer,
  UsageReportServiceService,
} from '@billing/proto/billing/metering/v1/report';
import { usageReportCallers } from '../peer/callers';
import { type CreditAccount, noneClosed } from '../credit/account';
import { accountsOf } from '../credit/account-store';
import { type Meter, requireKnown } from '../meter/meter';
import { type CreditDay, CreditReport } from './credit-report';
import type { CreditReportStore } from './credit-report-store';
import { type MeterUsageDependencies, readMeterUsage } from './read-meter-usage';
import { UsageReport } from './usage-report';

export interface ReportDependencies extends MeterUsageDependencies {
  readonly meters: AggregateCollection<Meter>;
  readonly accounts: AggregateCollection<CreditAccount>;
  readonly creditReports: CreditReportStore;
}

const daysMax = 90;
const customersMax = 20;

/** RPCs for daily usage and credit reports. */
export function reportRpc(dependencies: ReportDependencies) {
  const { meters, accounts, creditReports } = dependencies;
  const handlers: AsyncHandlers<UsageReportServiceServer> = {
    getUsageReport: async ({ meterId, days }, context) => {
      const wanted = lastDays(context.now, { days, max: daysMax });
      const { state: meter } = await meters.within(context).get(meterId);
      requireKnown(meter);
      const report = new UsageReport({ days, customersMax });
      for (const customer of await readMeterUsage(meter, wanted, context, dependencies)) {
        report.add(customer);
      }
      return {
        days: report.days.map(({ value, events }, index) => ({
          day: wanted[index]?.day ?? '',
          value: value.toString(),
          events: BigInt(events),
        })),
        customers: report.customers.map(({ customerId, value, events }) => ({
          customerId,
          value: value.toString(),
          events: BigInt(events),
        })),
      };
    },

    getCreditReport: async ({ days }, context) => {
      const wanted = lastDays(context.now, { days, max: daysMax });
      const report = new CreditReport(wanted, context.now);
      const since = wanted[0]?.start ?? context.now;
      for await (const account of creditReports.withGrants(context.tenant, since)) {
        report.add(account);
      }
      const found = [...report.byMeter()];
      const known = await Promise.all(found.map(([id]) => meters.within(context).find(id)));
      const all = found.flatMap(([meterId, credits], index) => {
        const meter = known[index]?.state;
        if (meter === undefined) return [];
        const creditDays = credits.map((one, day) => toProtoCreditDay(wanted[day], one));
        const { name: meterName, unit } = meter;
        return [{ meterId, meterName, unit: unit ?? undefined, days: creditDays }];
      });
      return { meters: all.toSorted((a, b) => (a.meterName < b.meterName ? -1 : 1)) };
    },

    getClosedCredits: async ({ customerId }, context) => {
      const found = await accountsOf({ accounts }, customerId, context);
      return { accounts: found.map(toProtoClosedCredits) };
    },
  };
  return rpcService(UsageReportServiceService, handlers, { callers: usageReportCallers });
}

function toProtoCreditDay(
  day: CalendarDay | undefined,
  { granted, used, expired, balance }: CreditDay,
) {
  return {
    day: day?.day ?? '',
    granted: granted.toString(),
    used: used.toString(),
    expired: expired.toString(),
    balance: balance.toString(),
  };
}

function toProtoClosedCredits({
  meterId,
  grants,
  closed = noneClosed,
}: CreditAccount): ProtoClosedCredits {
  const { count, granted, consumed, expired } = closed;
  const openGrantIds = grants.map(({ id }) => id);
  return { meterId, openGrantIds, count: BigInt(count), granted, consumed, expired };
}
