import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { DomainError } from '@billing/kernel/domain-error';
import {
  currentTraceId,
  currentTraceparent,
  describeSpan,
  inRequestSpan,
  inSpan,
  recordSpanError,
  startDetachedSpan,
  startTracing,
} from './tracing';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const sampled = `00-${traceId}-b7ad6b7169203331-01`;
const notSampled = `00-${traceId}-b7ad6b7169203331-00`;
const server = { name: 'serve', kind: 'server' } as const;

let shutdown: (() => Promise<void>) | undefined;
afterEach(async () => {
  await shutdown?.();
  shutdown = undefined;
});

/** Starts tracing into memory, and returns a function that reads the recorded spans. */
function record(sampleRatio?: number) {
  const exporter = new InMemorySpanExporter();
  const handle = startTracing({
    sampleRatio,
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  shutdown = () => handle.shutdown();
  return () => exporter.getFinishedSpans();
}

describe('a span', () => {
  test('surrounds the work that runs in it, and is the parent of the spans that it starts', async () => {
    const spans = record();
    const answer = await inSpan(
      { ...server, service: 'catalog', attributes: { count: 2 } },
      async () => {
        await Promise.resolve();
        return inSpan({ name: 'find', kind: 'client' }, async () => 42);
      },
    );

    expect(answer).toBe(42);
    const [inner, outer] = spans();
    expect(outer).toMatchObject({ name: 'serve', attributes: { count: 2 } });
    expect(outer?.parentSpanContext).toBeUndefined();
    expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
  });

  test.each([
    ['catalog', 'catalog'],
    ['customer', 'customer'],
    [undefined, 'billing'],
  ])('for %s has the resource %s', async (service, expected) => {
    const spans = record();
    await inSpan({ ...server, service }, async () => undefined);
    expect(spans()[0]?.resource.attributes).toEqual({ 'service.name': expected });
  });

  test('has the attributes known at its start, during its work and at its end', async () => {
    const spans = record();
    const attributes = () => ({ 'billing.live': false, absent: undefined });
    const outcome = (error: unknown) => ({ failed: error !== undefined });
    await inSpan({ ...server, attributes, outcome }, async () => {
      describeSpan(() => ({ 'http.response.status_code': 201 }));
    });
    const failing = () => Promise.reject(new Error('lost'));
    await expect(inSpan({ ...server, outcome }, failing)).rejects.toThrow('lost');
    expect(spans().map((span) => span.attributes)).toEqual([
      { 'billing.live': false, 'http.response.status_code': 201, failed: false },
      { failed: true, 'error.type': 'Error' },
    ]);
  });

  test('does not compute attributes unless it is recorded', async () => {
    const describe = jest.fn(() => ({}));
    record(0);
    await inSpan({ ...server, attributes: describe, outcome: describe }, async () => {
      describeSpan(describe);
    });
    expect(describe).not.toHaveBeenCalled();
  });

  test('records an error that becomes an answer within it', async () => {
    const spans = record();
    await inSpan(server, () => {
      recordSpanError(new Error('lost'));
      return Promise.resolve();
    });
    expect(spans()).toMatchObject([{ status: { code: SpanStatusCode.ERROR, message: 'lost' } }]);
    recordSpanError(new Error('where no span is active'));
  });

  test('continues a given trace', async () => {
    const spans = record();
    await inSpan({ ...server, traceparent: sampled }, async () => {
      expect(currentTraceId()).toBe(traceId);
      expect(currentTraceparent()).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
      expect(currentTraceparent()).not.toBe(sampled);
    });
    expect(spans()[0]?.parentSpanContext).toMatchObject({ traceId, spanId: 'b7ad6b7169203331' });
  });

  test.each([
    '',
    'nonsense',
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    sampled.replace(/^00/, 'ff'),
  ])('starts a new trace when given %j', async (traceparent) => {
    const spans = record();
    await inSpan({ ...server, traceparent }, async () => undefined);
    expect(spans()[0]?.parentSpanContext).toBeUndefined();
  });

  test('is recorded as its caller chose, at any ratio', async () => {
    const spans = record(0);
    await inSpan({ ...server, traceparent: sampled }, async () => undefined);
    await inSpan({ ...server, traceparent: notSampled }, async () => undefined);
    await inSpan(server, async () => undefined);
    expect(spans().map((span) => span.parentSpanContext?.traceId)).toEqual([traceId]);
  });

  test('shows the error that ended it, without secrets', async () => {
    const spans = record();
    const error = new Error('Refused billing_live_sesame');
    await expect(inSpan(server, () => Promise.reject(error))).rejects.toBe(error);

    expect(spans()[0]).toMatchObject({
      status: { code: 2, message: 'Refused [redacted]' },
      attributes: { 'error.type': 'Error' },
    });
    expect(JSON.stringify(spans()[0]?.events)).not.toContain('sesame');
  });

  test('treats a refusal as an answer, an outage as a failure', async () => {
    const spans = record();
    const refusal = new DomainError('not_found', 'PRODUCT_NOT_FOUND', 'Product not found');
    const outage = new DomainError('unavailable', 'DATABASE_UNAVAILABLE', 'Service unavailable');
    await expect(inSpan(server, () => Promise.reject(refusal))).rejects.toBe(refusal);
    await expect(inSpan(server, () => Promise.reject(outage))).rejects.toBe(outage);

    expect(spans().map(({ status }) => status.code)).toEqual([0, 2]);
    expect(spans()[0]?.attributes).toEqual({ 'error.type': 'PRODUCT_NOT_FOUND' });
  });

  test('ends with an error even if its function throws synchronously', async () => {
    const spans = record();
    const failing = () => {
      throw new Error('at once');
    };
    await expect(inSpan(server, failing)).rejects.toThrow('at once');
    expect(spans()).toHaveLength(1);
  });
});

describe('the span of a request from outside', () => {
  const caller = (traceparent: string | undefined, isTrusted = false) => ({
    traceparent,
    isTrusted,
  });

  test('continues the trace of a trusted caller', async () => {
    const spans = record();
    await inRequestSpan(server, caller(sampled, true), async () => {
      expect(currentTraceId()).toBe(traceId);
    });
    expect(spans()[0]?.parentSpanContext).toMatchObject({ traceId, spanId: 'b7ad6b7169203331' });
    expect(spans()[0]?.links).toEqual([]);
  });

  test('starts a trace with a link to the span of any other caller', async () => {
    const spans = record();
    await inRequestSpan(server, caller(sampled), async () => {
      expect(currentTraceId()).not.toBe(traceId);
    });
    expect(spans()[0]?.parentSpanContext).toBeUndefined();
    expect(spans()[0]?.links).toMatchObject([{ context: { traceId, spanId: 'b7ad6b7169203331' } }]);
  });

  test.each([
    ['begins without a link for a caller that sends none', undefined],
    ['begins without a link for a malformed trace context', 'nonsense'],
  ])('%s', async (_case, traceparent) => {
    const spans = record();
    await inRequestSpan(server, caller(traceparent), async () => undefined);
    expect(spans()[0]).toMatchObject({ parentSpanContext: undefined, links: [] });
  });

  test.each([true, false])(
    'is recorded although its caller (trusted: %s) asks not to',
    async (isTrusted) => {
      const spans = record(1);
      await inRequestSpan(server, caller(notSampled, isTrusted), () =>
        inSpan({ name: 'inner', kind: 'client' }, async () => undefined),
      );
      expect(spans().map(({ name }) => name)).toEqual(['inner', 'serve']);
    },
  );

  test.each([true, false])(
    'is not recorded at ratio 0 although its caller (trusted: %s) asks for it',
    async (isTrusted) => {
      const spans = record(0);
      await inRequestSpan(server, caller(sampled, isTrusted), () =>
        inSpan({ name: 'inner', kind: 'client' }, async () => undefined),
      );
      expect(spans()).toEqual([]);
    },
  );

  test('has a recorded trace of its own for each of 1,000 requests with one untrusted trace id', async () => {
    const spans = record();
    for (let count = 0; count < 1_000; count += 1) {
      await inRequestSpan(server, caller(notSampled), async () => undefined);
    }
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1_000);
  });

  test('is never a child of a span that happens to be active', async () => {
    const spans = record();
    await inSpan({ name: 'active', kind: 'internal' }, () =>
      inRequestSpan(server, caller(undefined), async () => undefined),
    );
    expect(spans()[0]).toMatchObject({ name: 'serve', parentSpanContext: undefined });
  });
});

describe('a detached span', () => {
  test('is a child of the active one and does not become active', async () => {
    const spans = record();
    await inSpan(server, async () => {
      const before = currentTraceparent();
      const span = startDetachedSpan(() => ({ name: 'find', kind: 'client' }));
      expect(currentTraceparent()).toBe(before);
      span?.end(new Error('lost'));
    });
    const [detached, outer] = spans();
    expect(detached?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(detached?.status.code).toBe(2);
  });

  test('is neither described nor created if nothing is recorded', async () => {
    const describeSpan = jest.fn();
    record(0);
    startDetachedSpan(describeSpan);
    await inSpan(server, async () => startDetachedSpan(describeSpan));
    expect(describeSpan).not.toHaveBeenCalled();
  });
});

describe('without a collector', () => {
  beforeEach(() => {
    const handle = startTracing();
    shutdown = () => handle.shutdown();
  });

  test('a trace still has an id, the same for all its work', async () => {
    await inSpan(server, async () => {
      const outer = currentTraceparent();
      expect(outer).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      await inSpan({ name: 'inner', kind: 'client' }, async () => {
        expect(currentTraceparent()).toBe(outer);
      });
    });
    expect(currentTraceparent()).toBeUndefined();
  });

  test('a request has the trace id of a trusted caller, and one of its own for any other', async () => {
    const idFor = (isTrusted: boolean) =>
      inRequestSpan(server, { traceparent: sampled, isTrusted }, async () => currentTraceId());
    expect(await idFor(true)).toBe(traceId);
    expect(await idFor(false)).toMatch(new RegExp(`^(?!${traceId})[0-9a-f]{32}$`));
  });

  test.each([sampled, notSampled])(
    'the trace of %s continues without being recorded',
    async (traceparent) => {
      await inSpan({ ...server, traceparent }, async () => {
        expect(currentTraceId()).toBe(traceId);
        expect(currentTraceparent()).toMatch(/-00$/);
      });
    },
  );
});

describe('starting and shutting down', () => {
  test('tracing that was never started only runs the function', async () => {
    expect(await inSpan(server, async () => currentTraceparent() ?? 'none')).toBe('none');
  });

  test('tracing continues until its last user shuts it down', async () => {
    const spans = record();
    const second = startTracing();
    await shutdown?.();
    await shutdown?.();
    await inSpan(server, async () => undefined);
    expect(spans()).toHaveLength(1);

    await second.shutdown();
    expect(await inSpan(server, async () => currentTraceId())).toBeUndefined();
  });
});
