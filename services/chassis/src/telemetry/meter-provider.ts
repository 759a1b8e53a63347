import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  type IMetricReader,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { newId } from '../ids';
import type { MetricsOptions } from './metrics';

// A hanging collector must not delay the end of the process.
const exportTimeoutMs = 3_000;
const exportEveryMsDefault = 60_000;

/** Opens the SDK with the readers of the options and an exporter to their collector. */
export function openMeterProvider(options: MetricsOptions): MeterProvider {
  const resource = resourceFromAttributes({
    'service.namespace': 'billing',
    'service.name': options.service,
    // Distinguishes replicas. Otherwise a collector would see one that jumps back and forth.
    'service.instance.id': newId(),
  });
  return new MeterProvider({ resource, readers: readersOf(options) });
}

function readersOf({
  otlpEndpoint,
  exportEveryMs = exportEveryMsDefault,
  readers = [],
}: MetricsOptions): IMetricReader[] {
  if (otlpEndpoint === undefined) return [...readers];
  const timeoutMs = Math.min(exportTimeoutMs, exportEveryMs);
  const url = `${otlpEndpoint.replace(/\/+$/, '')}/v1/metrics`;
  const exporter = new OTLPMetricExporter({ url, timeoutMillis: timeoutMs });
  const periodic = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: exportEveryMs,
    exportTimeoutMillis: timeoutMs,
  });
  return [...readers, periodic];
}
