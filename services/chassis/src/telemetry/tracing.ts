import {
  type Context,
  context,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { DomainError } from '@billing/kernel/domain-error';
import { randomHex } from '../ids';
import { redactSecrets } from './redaction';
import type * as traceRecorder from './trace-recorder';

/**
 * Attributes by which spans are searched. Undefined ones are left out. Never a key, token, email
 * address, card, body or query.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Options of a span. */
export interface SpanOptions {
  readonly name: string;
  readonly kind: keyof typeof kinds;
  /**
   * Service that does the work, `service.name` of the span's resource; many services may share a
   * process.
   */
  readonly service?: string;
  /** A function is called only if the span is recorded. */
  readonly attributes?: SpanAttributes | (() => SpanAttributes);
  /** Attributes that are known at the end; `error` is undefined on success. */
  readonly outcome?: (error: unknown) => SpanAttributes;
  /** The W3C trace context that the span continues; by default the active span's. */
  readonly traceparent?: string;
}

/** Trace context of a request from outside. */
export interface RemoteCaller {
  readonly traceparent: string | undefined;
  /** True if the caller's trace is continued; otherwise it is only linked. */
  readonly isTrusted: boolean;
}

export interface TracingOptions {
  /**
   * Base address of an OTLP/HTTP collector. Without it nothing is recorded, but traces still have
   * ids.
   */
  readonly otlpEndpoint?: string;
  /** Share of traces that are recorded, decided where they enter the system. */
  readonly sampleRatio?: number;
  readonly spanProcessors?: readonly SpanProcessor[];
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

// The API of OpenTelemetry is global to the process, and so is this.
let started: Started | undefined;

interface Started {
  /** Absent if this process records nothing. */
  readonly recorder: traceRecorder.TraceRecorder | undefined;
  users: number;
}

/**
 * Starts tracing in this process once. Services of one process share what the first one started,
 * until the last one shuts down. Only the chassis creates spans, because instrumenting every
 * library costs a quarter of the throughput.
 */
export function startTracing(options: TracingOptions = {}): { shutdown(): Promise<void> } {
  const current = (started ??= start(options));
  current.users += 1;
  let isShutDown = false;
  return {
    shutdown: async () => {
      if (isShutDown) return;
      isShutDown = true;
      current.users -= 1;
      if (current.users > 0) return;
      started = undefined;
      context.disable();
      await current.recorder?.shutdown();
    },
  };
}

function start(options: TracingOptions): Started {
  if (isRecording(options)) {
    // Half of all modules of a service belong to the SDK: most processes never load it.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const sdk = require('./trace-recorder') as typeof traceRecorder;
    return { recorder: new sdk.TraceRecorder(options), users: 0 };
  }
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return { recorder: undefined, users: 0 };
}

function isRecording({ otlpEndpoint, spanProcessors = [] }: TracingOptions): boolean {
  return otlpEndpoint !== undefined || spanProcessors.length > 0;
}

/** Runs `fn` in a new span; spans and logs within it belong to it. */
export function inSpan<T>(options: SpanOptions, fn: () => Promise<T>): Promise<T> {
  if (started === undefined) return fn();
  const active = context.active();
  const parent = parentContext(active, options.traceparent);
  // No span below an unrecorded trace is recorded, so its one id serves all of it.
  if (isUnrecorded(parent)) return parent === active ? fn() : context.with(parent, fn);
  if (started.recorder === undefined) return context.with(unrecorded(parent), fn);
  return inStartedSpan(started.recorder, { options, parent }, fn);
}

/**
 * Runs `fn` in the span of a request from outside. A trusted caller's trace is continued; for any
 * other caller a new trace begins, with a link to the caller's span. In both cases the decision to
 * record the trace is made here: the caller's sampling flag is ignored.
 */
export function inRequestSpan<T>(
  options: Omit<SpanOptions, 'traceparent'>,
  { traceparent, isTrusted }: RemoteCaller,
  fn: () => Promise<T>,
): Promise<T> {
  if (started === undefined) return fn();
  const { recorder } = started;
  const remote = traceparent === undefined ? undefined : readTraceparent(traceparent);
  const outside = trace.deleteSpan(context.active());
  const parent =
    remote !== undefined && isTrusted
      ? trace.setSpanContext(outside, {
          ...remote,
          traceFlags: recorder?.flagsFor(remote) ?? TraceFlags.NONE,
        })
      : outside;
  if (recorder === undefined || isUnrecorded(parent)) return context.with(unrecorded(parent), fn);
  const links = remote === undefined || isTrusted ? [] : [{ context: remote }];
  return inStartedSpan(recorder, { options, parent, links }, fn);
}

function inStartedSpan<T>(
  recorder: traceRecorder.TraceRecorder,
  wanted: { options: SpanOptions; parent: Context; links?: Link[] },
  fn: () => Promise<T>,
): Promise<T> {
  const { options, parent } = wanted;
  const span = startSpan(recorder, wanted);
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      const result = await fn();
      setAttributes(span, () => options.outcome?.(undefined));
      return result;
    } catch (error) {
      recordError(span, error);
      setAttributes(span, () => options.outcome?.(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs work that several callers share outside of the trace of the one that starts it. */
export function outsideTrace<T>(fn: () => T): T {
  return context.with(trace.deleteSpan(context.active()), fn);
}

/** A span that does not become the active one and is ended explicitly. */
export interface DetachedSpan {
  end(error?: unknown): void;
}

/** Starts a child of the active span if that one is recorded; otherwise returns undefined. */
export function startDetachedSpan(describe: () => SpanOptions): DetachedSpan | undefined {
  if (started?.recorder === undefined) return undefined;
  if (trace.getActiveSpan()?.isRecording() !== true) return undefined;
  const span = startSpan(started.recorder, { options: describe(), parent: context.active() });
  return {
    end: (error) => {
      if (error !== undefined) recordError(span, error);
      span.end();
    },
  };
}

/**
 * Records an error in the active span that does not leave the span, because it becomes an answer.
 */
export function recordSpanError(error: unknown): void {
  const span = trace.getActiveSpan();
  if (span !== undefined) recordError(span, error);
}

/** Adds attributes to the active span, if it is recorded. */
export function describeSpan(describe: () => SpanAttributes): void {
  const span = trace.getActiveSpan();
  if (span !== undefined) setAttributes(span, describe);
}

/** Returns the trace id of a W3C `traceparent`; undefined if it is malformed. */
export function traceIdOf(traceparent: string): string | undefined {
  return readTraceparent(traceparent)?.traceId;
}

/**
 * Returns the active span as a W3C `traceparent`, to send with a call or to store with deferred
 * work.
 */
export function currentTraceparent(): string | undefined {
  const spanContext = activeSpanContext();
  if (spanContext === undefined) return undefined;
  const flags = spanContext.traceFlags.toString(16).padStart(2, '0');
  return `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`;
}

/** Returns the id with which people find everything that belongs to the running request. */
export function currentTraceId(): string | undefined {
  return activeSpanContext()?.traceId;
}

function activeSpanContext(): SpanContext | undefined {
  const spanContext = trace.getActiveSpan()?.spanContext();
  return spanContext !== undefined && isSpanContextValid(spanContext) ? spanContext : undefined;
}

function isUnrecorded(parent: Context): boolean {
  const spanContext = trace.getSpanContext(parent);
  return (
    spanContext !== undefined &&
    isSpanContextValid(spanContext) &&
    (spanContext.traceFlags & TraceFlags.SAMPLED) === 0
  );
}

// The rest of the active context stays: a request id in it belongs to the continued trace, too.
function parentContext(active: Context, traceparent: string | undefined): Context {
  const remote = traceparent === undefined ? undefined : readTraceparent(traceparent);
  return remote === undefined ? active : trace.setSpanContext(active, remote);
}

/**
 * Continues or starts a trace without recording it: its ids let a request be followed through the
 * logs. The SDK would do the same at ten times the cost.
 */
function unrecorded(parent: Context): Context {
  const traceId = trace.getSpanContext(parent)?.traceId ?? randomHex(16);
  const spanContext = { traceId, spanId: randomHex(8), traceFlags: TraceFlags.NONE };
  return trace.setSpanContext(parent, spanContext);
}

// Version ff is forbidden; a later version may append fields, which are ignored, as the W3C
// requires.
const traceparentPattern = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

function readTraceparent(traceparent: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = traceparentPattern.exec(traceparent) ?? [];
  const remote = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  };
  return isSpanContextValid(remote) ? remote : undefined;
}

function startSpan(
  recorder: traceRecorder.TraceRecorder,
  { options, parent, links = [] }: { options: SpanOptions; parent: Context; links?: Link[] },
): Span {
  const { name, kind, service, attributes } = options;
  const span = recorder.tracerOf(service).startSpan(name, { kind: kinds[kind], links }, parent);
  setAttributes(span, () => (typeof attributes === 'function' ? attributes() : attributes));
  return span;
}

function setAttributes(span: Span, describe: () => SpanAttributes | undefined): void {
  if (!span.isRecording()) return;
  for (const [name, value] of Object.entries(describe() ?? {})) {
    if (value !== undefined) span.setAttribute(name, value);
  }
}

function recordError(span: Span, error: unknown): void {
  if (!span.isRecording()) return;
  if (error instanceof DomainError && error.kind !== 'unavailable') {
    // A refusal is an answer, not a failure of the system.
    span.setAttribute('error.type', error.reason);
    return;
  }
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  span.setAttribute('error.type', name);
  span.setStatus({ code: SpanStatusCode.ERROR, message: redactSecrets(message) });
  span.recordException({
    name,
    message: redactSecrets(message),
    stack: redactSecrets(stack ?? ''),
  });
}

/** Fields of a stored document that appear in spans. */
export interface NamedDocument {
  readonly _id: string;
  readonly environmentId?: unknown;
  readonly live?: unknown;
  readonly customerId?: unknown;
  /** For documents that contain a copy of their customer. */
  readonly customer?: unknown;
  readonly subscriptionId?: unknown;
}

/** Attributes of work on one aggregate. */
export function aggregateAttributes(
  aggregate: string,
  document: NamedDocument,
  sequence: number,
): SpanAttributes {
  const { _id: id, environmentId, live, customerId, customer, subscriptionId } = document;
  const ofCustomer = aggregate === 'customer' ? id : (customerId ?? idOf(customer));
  return {
    'billing.aggregate': aggregate,
    'billing.aggregate_id': id,
    'billing.sequence': sequence,
    'billing.environment_id': textOf(environmentId),
    'billing.live': typeof live === 'boolean' ? live : undefined,
    'billing.customer_id': textOf(ofCustomer),
    'billing.subscription_id': aggregate === 'subscription' ? id : textOf(subscriptionId),
  };
}

function idOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
