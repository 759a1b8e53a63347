import { context, type SpanContext, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingOptions } from './tracing';

// Name for spans without a service.
const systemName = 'billing';

// A hanging collector must not delay the end of the process.
const exportTimeoutMs = 3_000;

/** Records traces with the SDK. It is loaded only where traces are recorded: it is large. */
export class TraceRecorder {
  private readonly sdk: NodeSDK;
  private readonly rootSampler: TraceIdRatioBasedSampler;
  private readonly traces: { sampler: ParentBasedSampler; spanProcessors: SpanProcessor[] };
  // One tracer per service, so that each has its own resource even if several share a process.
  private readonly tracers = new Map<string, Tracer>();

  constructor(options: TracingOptions) {
    this.rootSampler = new TraceIdRatioBasedSampler(options.sampleRatio ?? 1);
    this.traces = {
      sampler: new ParentBasedSampler({ root: this.rootSampler }),
      spanProcessors: processorsOf(options),
    };
    this.sdk = new NodeSDK({
      ...this.traces,
      resource: resourceOf(systemName),
      // All settings are explicit: the SDK would read the others from variables that the service's
      // configuration does not know.
      autoDetectResources: false,
      instrumentations: [],
      metricReaders: [],
      logRecordProcessors: [],
      textMapPropagator: null,
    });
    this.sdk.start();
  }

  tracerOf(service = systemName): Tracer {
    const known = this.tracers.get(service);
    if (known !== undefined) return known;
    const provider = new TracerProvider({ ...this.traces, resource: resourceOf(service) });
    const tracer = provider.getTracer(systemName);
    this.tracers.set(service, tracer);
    return tracer;
  }

  /** Decides whether this system records the trace of a caller from outside. */
  flagsFor({ traceId }: SpanContext): TraceFlags {
    const { decision } = this.rootSampler.shouldSample(context.active(), traceId);
    return decision === SamplingDecision.RECORD_AND_SAMPLED ? TraceFlags.SAMPLED : TraceFlags.NONE;
  }

  async shutdown(): Promise<void> {
    trace.disable();
    await this.sdk.shutdown();
  }
}

function resourceOf(service: string) {
  return resourceFromAttributes({ 'service.name': service });
}

function processorsOf({ otlpEndpoint, spanProcessors = [] }: TracingOptions): SpanProcessor[] {
  if (otlpEndpoint === undefined) return [...spanProcessors];
  const url = `${otlpEndpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs });
  const batches = new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportTimeoutMs });
  return [...spanProcessors, batches];
}
