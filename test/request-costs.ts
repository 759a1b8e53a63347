import { randomBytes } from 'node:crypto';
import { routes } from '@billing/gateway/app';
import { eventually } from '@billing/chassis/testing';
import { startTracing, type TracingOptions } from '@billing/chassis/tracing';
import { ApiClient } from './api-client';
import { routeExamples } from './isolation-examples';
import { startTestSystem, type TestSystem } from './test-system';

/** What one request makes others do before it is answered; exact, whatever the machine. */
export interface RequestCost {
  readonly route: string;
  readonly status: number;
  /** Methods called, sorted. */
  readonly calls: readonly string[];
  /** Database commands with their collections, sorted. */
  readonly commands: readonly string[];
}

/** Runs on a real clock, which nobody moves: a manual one costs a call more for each request. */
class RealClockClient extends ApiClient {
  override async advanceTo(to: string) {
    return { now: to, processed: 0 };
  }
}

type SpanProcessor = NonNullable<TracingOptions['spanProcessors']>[number];
type EndedSpan = Parameters<SpanProcessor['onEnd']>[0];

/** One request of every route, counted by the spans of its trace on a system of its own in this process. */
export async function measureRequestCosts(): Promise<RequestCost[]> {
  const spans: EndedSpan[] = [];
  // Services in one process share the tracing that was started first.
  const tracing = startTracing({ spanProcessors: [collectInto(spans)] });
  try {
    const system = await startTestSystem();
    try {
      return await requestEveryRoute(system, spans);
    } finally {
      await system.stop();
    }
  } finally {
    await tracing.shutdown();
  }
}

function collectInto(spans: EndedSpan[]): SpanProcessor {
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      spans.push(span);
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
}

async function requestEveryRoute(system: TestSystem, spans: EndedSpan[]): Promise<RequestCost[]> {
  const owner = new RealClockClient(system.gatewayUrl, system.sandboxKey);
  const examples = await routeExamples(owner);
  const sent: { route: string; status: number; traceId: string }[] = [];
  for (const { method, path } of routes) {
    const route = `${method} ${path}`;
    const example = examples[route];
    if (example === undefined) throw new Error(`No example of ${route}`);
    // The caller's key is known from the request before.
    await owner.get('/sandboxes/clock');
    const traceId = randomBytes(16).toString('hex');
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const { status } = await owner.request(method, example.path, { body: example.body, headers });
    sent.push({ route, status, traceId });
  }
  const ofTrace = (traceId: string) =>
    spans.filter((span) => span.spanContext().traceId === traceId);
  await eventually(() => {
    // A request's own span may end just after the caller has its answer.
    const open = sent.filter(({ traceId }) => !ofTrace(traceId).some(isRequest));
    if (open.length > 0) throw new Error(`No span of ${open.map(({ route }) => route).join()}`);
  });
  return sent.map(({ route, status, traceId }) => ({
    route,
    status,
    ...countSpans(ofTrace(traceId)),
  }));
}

function countSpans(spans: EndedSpan[]): Pick<RequestCost, 'calls' | 'commands'> {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const parentOf = (span: EndedSpan) => byId.get(span.parentSpanContext?.spanId ?? '');
  // What the relay and consumers do afterwards hangs below spans of their own.
  const isAwaited = (span: EndedSpan): boolean => {
    const parent = parentOf(span);
    if (parent === undefined) return isRequest(span);
    return (isCall(parent) || isRequest(parent)) && isAwaited(parent);
  };
  const awaited = spans.filter(isAwaited);
  // Each call has a span at either end; the server's hangs below the client's of the same name.
  const calls = awaited.filter((span) => isCall(span) && parentOf(span)?.name !== span.name);
  const commands = awaited.filter(({ name }) => name.startsWith('mongodb '));
  return {
    calls: calls.map(({ name }) => name.replace(/^.*\//, '')).sort(),
    commands: commands.map(({ name }) => name.replace(/^mongodb /, '')).sort(),
  };
}

function isCall({ name }: EndedSpan): boolean {
  return name.startsWith('grpc ');
}

function isRequest({ name }: EndedSpan): boolean {
  return /^(GET|POST|PATCH|DELETE) \/v1/.test(name);
}
