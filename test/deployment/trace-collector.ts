import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An exported span. */
interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** `service.name` of the resource that exported it. */
  readonly service: string | undefined;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Trace ids of the spans to which it is linked. */
  readonly linkedTraceIds: readonly string[];
}

/** An OTLP receiver over HTTP that stores every exported span. */
export interface TraceCollector {
  readonly endpoint: string;
  readonly spans: ExportedSpan[];
  /** The complete export as text. */
  text(): string;
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: ExportedSpan[] = [];
  const texts: string[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces') {
        const text = Buffer.concat(chunks).toString();
        texts.push(text);
        spans.push(...readSpans(text));
      }
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${String(port)}`,
    spans,
    text: () => texts.join('\n'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function readSpans(text: string): ExportedSpan[] {
  const { resourceSpans } = JSON.parse(text) as { resourceSpans: any[] };
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { 'service.name': service } = readAttributes(resource.attributes);
    return scopeSpans.flatMap(({ spans }: { spans: any[] }) =>
      spans.map((span) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        service,
        attributes: readAttributes(span.attributes),
        linkedTraceIds: (span.links ?? []).map((link: { traceId: string }) => link.traceId),
      })),
    );
  });
}

function readAttributes(attributes: any[] = []): Record<string, any> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { stringValue, intValue, boolValue, doubleValue } = value;
      return [key, stringValue ?? boolValue ?? Number(intValue ?? doubleValue)];
    }),
  );
}
