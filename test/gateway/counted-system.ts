import { startTracing, type TracingOptions } from '@billing/chassis/tracing';
import type { OwnTestSystem } from '../support/test-system';
import { startTestSystem } from '../support/test-system';

type SpanProcessor = NonNullable<TracingOptions['spanProcessors']>[number];
export type EndedSpan = Parameters<SpanProcessor['onEnd']>[0];

/** Starts a separate system in this process, and passes it on with the spans of its work. */
export async function withCountedSystem<T>(
  measure: (system: OwnTestSystem, spans: readonly EndedSpan[]) => Promise<T>,
): Promise<T> {
  const spans: EndedSpan[] = [];
  // Services in one process share the tracing that was started first.
  const tracing = startTracing({ spanProcessors: [collectInto(spans)] });
  try {
    const system = await startTestSystem();
    try {
      return await measure(system, spans);
    } finally {
      await system.stop();
    }
  } finally {
    await tracing.shutdown();
  }
}

export function isCall({ name }: EndedSpan): boolean {
  return name.startsWith('grpc ');
}

export function isAuthentication(span: EndedSpan): boolean {
  return isCall(span) && span.name.endsWith('/Authenticate');
}

/** Method of a call's span, without its service. */
export function methodOf({ name }: EndedSpan): string {
  return name.replace(/^.*\//, '');
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
