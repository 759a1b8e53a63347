import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  type Attributes,
  type Counter,
  createNoopMeter,
  type Histogram,
  type Meter,
} from '@opentelemetry/api';
import type { IMetricReader, MeterProvider } from '@opentelemetry/sdk-metrics';
import { instruments } from './instruments';
import { droppedLogLines, type Logger } from './logging';
import type * as meterProvider from './meter-provider';

/** Names of all instruments. */
export const instrumentNames = Object.values(instruments).map(({ name }) => name);

/** Allowed values of enumerated attributes. A query for any other value matches nothing. */
export const attributeValues = {
  'billing.live': ['true', 'false'],
  'billing.payment.outcome': ['SUCCEEDED', 'FAILED'],
  'billing.not_charged.reason': ['AMOUNT_NOT_SUPPORTED', 'NO_PAYMENT_PROVIDER'],
  'billing.provider_report.kind': ['REFUND', 'DISPUTE', 'CONTRADICTION'],
  'billing.due_work.kind': ['wake', 'recover'],
  'billing.usage.flush.outcome': ['STORED', 'FENCED', 'FAILED'],
  'billing.usage.event.outcome': ['ACCEPTED', 'DUPLICATE', 'REJECTED'],
  'billing.usage.read.reason': ['CUT', 'AUDIT', 'TAKEOVER'],
  'billing.usage.audit.result': ['EQUAL', 'MISMATCH', 'REPAIRED', 'SKIPPED'],
  'billing.usage.slot.state': ['IDLE', 'FLUSHING', 'PARKED', 'DEAD'],
  'billing.park.reason': ['OPEN_INVOICES', 'INVOICES_A_DAY', 'USAGE_TOO_LARGE'],
} as const;

export type AttributeValue<Name extends keyof typeof attributeValues> =
  (typeof attributeValues)[Name][number];

/** Upper bounds of histograms in seconds. A call has 10 s; lags are minutes and hours. */
export const callBoundaries = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];
export const lagBoundaries = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];

const eventLoopResolutionMs = 20;

export interface MetricsOptions {
  /** Service that owns the metrics; several services may share a process. */
  readonly service: string;
  readonly logger: Logger;
  /** Base address of an OTLP/HTTP collector. Without it no metrics are collected. */
  readonly otlpEndpoint?: string | undefined;
  readonly exportEveryMs?: number;
  readonly readers?: readonly IMetricReader[];
}

/** State of the stream as its server reports it. */
export interface StreamState {
  /** True if the server answers and has the stream. */
  readonly isConnected: boolean;
  /** Replicas that are missing or behind; undefined while the server does not answer. */
  readonly missingReplicas: number | undefined;
}

type ObservedInstrument =
  | 'ready'
  | 'streamConnected'
  | 'streamReplicasMissing'
  | 'outboxAge'
  | 'dueBacklog'
  | 'dueAge'
  | 'missingEvents'
  | 'databasesWentBack'
  | 'unmatchedCharges'
  | 'mailAge'
  | 'settlementAge'
  | 'openCredits'
  | 'usageEpochLag'
  | 'usageGenerationsAhead'
  | 'usageSlots'
  | 'usageParts'
  | 'usageFoldAge'
  | 'usageFoldSeries'
  | 'distinctWaiting'
  | 'clockSkew'
  | 'waitingInvoices'
  | 'diskFree'
  | 'certificateRemaining'
  | 'missingIndexes'
  | 'backupAge'
  | 'invariantFindings'
  | 'activeRequests';
type EventLoopDelays = ReturnType<typeof monitorEventLoopDelay>;

/** A value that is read only when metrics are exported. */
export interface Observation {
  readonly value: number;
  readonly attributes: Attributes;
}

/** Distinguishes real money from a sandbox's, which must not raise alerts. */
interface LiveFlag {
  /** `live` of the tenant. */
  readonly live: boolean;
}

/** An answered HTTP request. */
export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** Environment of a valid API key; undefined for other callers. */
  readonly live?: boolean | undefined;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Metrics of one service. */
export class Metrics {
  /** Absent if metrics are not collected. */
  private readonly provider: MeterProvider | undefined;
  private readonly meter: Meter;
  private readonly logger: Logger;
  private readonly eventLoop: EventLoopDelays | undefined;
  private readonly callAttributes = new Map<string, Attributes>();
  private readonly renewals: Counter;
  private readonly renewalLag: Histogram;
  private readonly parkedSubscriptions: Counter;
  private readonly payments: Counter;
  private readonly notCharged: Counter;
  private readonly providerReports: Counter;
  private readonly webhookLag: Histogram;
  private readonly poisonMessages: Counter;
  private readonly wrongSecrets: Counter;
  private readonly droppedRequests: Counter;
  private readonly droppedCredits: Counter;
  private readonly usageFlushes: Counter;
  private readonly usageFlushDuration: Histogram;
  private readonly usageEvents: Counter;
  private readonly usageRawReads: Counter;
  private readonly usageReadsIncomplete: Counter;
  private readonly usageAuditHours: Counter;
  private readonly settlementDuration: Histogram;
  private readonly callDuration: Histogram;
  private readonly requestDuration: Histogram;

  constructor(options: MetricsOptions) {
    this.logger = options.logger;
    this.provider = isCollected(options) ? openProvider(options) : undefined;
    this.meter = this.provider?.getMeter('billing') ?? createNoopMeter();
    this.renewals = this.counter('renewals');
    this.renewalLag = this.histogram('renewalLag', lagBoundaries);
    this.parkedSubscriptions = this.counter('parkedSubscriptions');
    this.payments = this.counter('payments');
    this.notCharged = this.counter('notCharged');
    this.providerReports = this.counter('providerReports');
    this.webhookLag = this.histogram('webhookLag', lagBoundaries);
    this.poisonMessages = this.counter('poisonMessages');
    this.wrongSecrets = this.counter('wrongSecrets');
    this.droppedRequests = this.counter('droppedRequests');
    this.droppedCredits = this.counter('droppedCredits');
    this.usageFlushes = this.counter('usageFlushes');
    this.usageFlushDuration = this.histogram('usageFlushDuration', callBoundaries);
    this.usageEvents = this.counter('usageEvents');
    this.usageRawReads = this.counter('usageRawReads');
    this.usageReadsIncomplete = this.counter('usageReadsIncomplete');
    this.usageAuditHours = this.counter('usageAuditHours');
    this.settlementDuration = this.histogram('settlementDuration', lagBoundaries);
    this.callDuration = this.histogram('callDuration', callBoundaries);
    this.requestDuration = this.histogram('requestDuration', callBoundaries);
    // Wakes the process fifty times a second, so it runs only if metrics are exported.
    this.countDroppedLines();
    this.eventLoop = this.provider ? this.watchEventLoop() : undefined;
  }

  recordRenewal({ live }: LiveFlag): void {
    this.renewals.add(1, { 'billing.live': live });
  }

  /** Records the time from the instant of a renewal until its invoice was created. */
  recordRenewalLag({ lagMs, live }: LiveFlag & { lagMs: number }): void {
    this.renewalLag.record(lagMs / 1_000, { 'billing.live': live });
  }

  recordParkedSubscription({
    reason,
    live,
  }: LiveFlag & { reason: AttributeValue<'billing.park.reason'> }): void {
    this.parkedSubscriptions.add(1, { 'billing.park.reason': reason, 'billing.live': live });
  }

  recordPayment({
    outcome,
    live,
  }: LiveFlag & { outcome: AttributeValue<'billing.payment.outcome'> }): void {
    this.payments.add(1, { 'billing.payment.outcome': outcome, 'billing.live': live });
  }

  recordNotCharged({
    reason,
    live,
  }: LiveFlag & { reason: AttributeValue<'billing.not_charged.reason'> }): void {
    this.notCharged.add(1, { 'billing.not_charged.reason': reason, 'billing.live': live });
  }

  recordProviderReport({
    kind,
    live,
  }: LiveFlag & { kind: AttributeValue<'billing.provider_report.kind'> }): void {
    this.providerReports.add(1, { 'billing.provider_report.kind': kind, 'billing.live': live });
  }

  recordWebhook({ lagMs, live }: LiveFlag & { lagMs: number }): void {
    this.webhookLag.record(lagMs / 1_000, { 'billing.live': live });
  }

  recordPoisonMessage({ consumer, live }: LiveFlag & { consumer: string }): void {
    this.poisonMessages.add(1, {
      'messaging.consumer.group.name': consumer,
      'billing.live': live,
    });
  }

  recordWrongSecrets(count: number): void {
    this.wrongSecrets.add(count);
  }

  recordDroppedRequests(count: number): void {
    this.droppedRequests.add(count);
  }

  recordFlush({
    outcome,
    durationMs,
  }: {
    outcome: AttributeValue<'billing.usage.flush.outcome'>;
    durationMs: number;
  }): void {
    this.usageFlushes.add(1, { 'billing.usage.flush.outcome': outcome });
    this.usageFlushDuration.record(durationMs / 1_000);
  }

  recordUsageEvents(outcome: AttributeValue<'billing.usage.event.outcome'>, events: number): void {
    if (events > 0) this.usageEvents.add(events, { 'billing.usage.event.outcome': outcome });
  }

  recordRawRead(reason: AttributeValue<'billing.usage.read.reason'>): void {
    this.usageRawReads.add(1, { 'billing.usage.read.reason': reason });
  }

  recordIncompleteRead({ live }: LiveFlag): void {
    this.usageReadsIncomplete.add(1, { 'billing.live': live });
  }

  recordAuditedHour({
    result,
    live,
  }: LiveFlag & { result: AttributeValue<'billing.usage.audit.result'> }): void {
    this.usageAuditHours.add(1, { 'billing.usage.audit.result': result, 'billing.live': live });
  }

  recordSettlement({ durationMs }: { durationMs: number }): void {
    this.settlementDuration.record(durationMs / 1_000);
  }

  /** `path` is the method's: `/package.Service/Method`. */
  recordCall(path: string, status: string, durationMs: number): void {
    const key = `${path} ${status}`;
    let attributes = this.callAttributes.get(key);
    if (attributes === undefined) {
      attributes = {
        'rpc.system.name': 'grpc',
        'rpc.method': path.slice(1),
        'rpc.response.status_code': status,
      };
      this.callAttributes.set(key, attributes);
    }
    this.callDuration.record(durationMs / 1_000, attributes);
  }

  /** `route` is the path with unfilled parameters. */
  recordRequest({ method, route, status, durationMs, live }: AnsweredRequest): void {
    this.requestDuration.record(durationMs / 1_000, {
      ...(live !== undefined && { 'billing.live': live }),
      // Callers can invent methods.
      'http.request.method': knownMethods.has(method) ? method : '_OTHER',
      'http.route': route,
      'http.response.status_code': status,
    });
  }

  /** A replica that gets no requests fails none, so its readiness is the only sign of trouble. */
  observeReadiness(isReady: () => boolean | Promise<boolean>): void {
    this.observe('ready', async () => [{ value: (await isReady()) ? 1 : 0, attributes: {} }]);
  }

  observeStream(read: () => Promise<StreamState>): void {
    this.observe('streamConnected', async () => {
      const { isConnected } = await read();
      return [{ value: isConnected ? 1 : 0, attributes: {} }];
    });
    this.observe('streamReplicasMissing', async () => {
      const { missingReplicas } = await read();
      return missingReplicas === undefined ? [] : [{ value: missingReplicas, attributes: {} }];
    });
  }

  observeClockSkew(seconds: () => number | undefined): void {
    this.observe('clockSkew', () => {
      const value = seconds();
      return Promise.resolve(value === undefined ? [] : [{ value, attributes: {} }]);
    });
  }

  observeMissingEvents(count: () => Promise<{ live: number; sandbox: number }>): void {
    this.observe('missingEvents', async () => {
      const { live, sandbox } = await count();
      return [
        { value: live, attributes: { 'billing.live': true } },
        { value: sandbox, attributes: { 'billing.live': false } },
      ];
    });
  }

  /** Reads the age of the oldest waiting mail of live environments. */
  observeMails(oldestMs: () => Promise<number>): void {
    this.observe('mailAge', async () => [{ value: (await oldestMs()) / 1_000, attributes: {} }]);
  }

  observeSettlements(longestMs: () => number): void {
    this.observe('settlementAge', () =>
      Promise.resolve([{ value: longestMs() / 1_000, attributes: {} }]),
    );
  }

  observeOpenCredits(most: () => Promise<number>): void {
    this.observe('openCredits', async () => [{ value: await most(), attributes: {} }]);
  }

  /** Registers the findings of a check of an environment, which has ended. */
  observeFindings({ count, live }: LiveFlag & { count: number }): void {
    const found = { value: count, attributes: { 'billing.live': live } };
    this.observe('invariantFindings', () => Promise.resolve([found]));
  }

  observeWaitingInvoices(count: () => Promise<number>): void {
    this.observe('waitingInvoices', async () => [{ value: await count(), attributes: {} }]);
  }

  recordDroppedCredits({ live }: LiveFlag): void {
    this.droppedCredits.add(1, { 'billing.live': live });
  }

  /** Registers a value that is read at each export. A value that cannot be read is left out. */
  observe(instrument: ObservedInstrument, read: () => Promise<readonly Observation[]>): void {
    const { name, ...descriptor } = instruments[instrument];
    this.meter.createObservableGauge(name, descriptor).addCallback(async (result) => {
      try {
        for (const { value, attributes } of await read()) result.observe(value, attributes);
      } catch (error) {
        this.logger.warn({ err: error, metric: name }, 'reading metric failed');
      }
    });
  }

  /** Exports the remaining metrics. */
  async shutdown(): Promise<void> {
    await this.provider?.shutdown();
    this.eventLoop?.disable();
  }

  private counter(
    instrument:
      | 'renewals'
      | 'parkedSubscriptions'
      | 'payments'
      | 'notCharged'
      | 'providerReports'
      | 'poisonMessages'
      | 'wrongSecrets'
      | 'droppedRequests'
      | 'droppedCredits'
      | 'usageFlushes'
      | 'usageEvents'
      | 'usageRawReads'
      | 'usageReadsIncomplete'
      | 'usageAuditHours',
  ): Counter {
    const { name, ...descriptor } = instruments[instrument];
    return this.meter.createCounter(name, descriptor);
  }

  private histogram(
    instrument:
      | 'renewalLag'
      | 'webhookLag'
      | 'usageFlushDuration'
      | 'settlementDuration'
      | 'callDuration'
      | 'requestDuration',
    explicitBucketBoundaries: number[],
  ): Histogram {
    const { name, ...descriptor } = instruments[instrument];
    return this.meter.createHistogram(name, {
      ...descriptor,
      advice: { explicitBucketBoundaries },
    });
  }

  // Several services of one process share its logs: each reports all dropped lines.
  private countDroppedLines(): void {
    const { name, ...descriptor } = instruments.droppedLogLines;
    this.meter.createObservableCounter(name, descriptor).addCallback((result) => {
      result.observe(droppedLogLines());
    });
  }

  private watchEventLoop(): EventLoopDelays {
    const delays = monitorEventLoopDelay({ resolution: eventLoopResolutionMs });
    delays.enable();
    const { name, ...descriptor } = instruments.eventLoopDelay;
    this.meter.createObservableGauge(name, descriptor).addCallback((result) => {
      // The monitor measures the time between ticks; for an idle loop that is its resolution.
      if (delays.count > 0) {
        result.observe(Math.max(delays.percentile(99) / 1e9 - eventLoopResolutionMs / 1_000, 0));
      }
      delays.reset();
    });
    return delays;
  }
}

function isCollected({ otlpEndpoint, readers }: MetricsOptions): boolean {
  return otlpEndpoint !== undefined || readers !== undefined;
}

function openProvider(options: MetricsOptions): MeterProvider {
  // The SDK is large: most processes never load it.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const sdk = require('./meter-provider') as typeof meterProvider;
  return sdk.openMeterProvider(options);
}
