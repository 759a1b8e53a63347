import { sleep } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import { Metrics, type MetricsOptions } from '@billing/chassis/metrics';
import { eventually, measureAll } from '@billing/chassis/testing';

export type Labels = ReadonlySet<string>;

type Reader = NonNullable<MetricsOptions['readers']>[number];
type Producer = Parameters<Reader['setMetricProducer']>[0];
type Collected = Awaited<ReturnType<Producer['collect']>>['resourceMetrics'];
type Measured = Collected['scopeMetrics'][number]['metrics'][number];

const logger = createLogger({ service: 'test', level: 'silent' });
// Prometheus' names of units; units in braces describe the counted things and are omitted.
const units: Readonly<Record<string, string>> = { s: '_seconds' };
// Counters as sums, histograms as described; the tests cannot import the enumeration.
const ordinary = { type: 0 } as unknown as ReturnType<Reader['selectAggregation']>;
// Every series has these, by the rules of the collector's exporter.
const labelsOfTarget = ['job', 'instance'];
// The event loop is measured by its iterations.
const turnsMs = 100;

/**
 * Every metric that services export, under the name and with the labels that the collector gives it
 * for Prometheus.
 */
export async function prometheusMetrics(): Promise<Map<string, Labels>> {
  const { resource, scopeMetrics } = await everythingMeasured();
  const known = new Map<string, Labels>();
  for (const measured of scopeMetrics.flatMap(({ metrics }) => metrics)) {
    const labels = [resource, ...measured.dataPoints].flatMap(labelsIn);
    for (const [name, extra] of namesOf(measured)) {
      known.set(name, new Set([...labelsOfTarget, ...labels, ...extra]));
    }
  }
  return known;
}

function namesOf({ descriptor }: Measured): [string, string[]][] {
  const { name, unit } = descriptor;
  // The kind of an instrument is in the descriptor, but not in its published type.
  const { type } = descriptor as unknown as { type: string };
  const suffix = /^\{.*\}$/.test(unit) ? '' : units[unit];
  if (suffix === undefined) throw new Error(`${name}: no rule is known for its unit ${unit}`);
  const base = `${name.replaceAll(/\W/g, '_')}${suffix}`;
  switch (type) {
    case 'HISTOGRAM':
      return [
        [`${base}_bucket`, ['le']],
        [`${base}_count`, []],
        [`${base}_sum`, []],
      ];
    case 'COUNTER':
    case 'OBSERVABLE_COUNTER':
      return [[`${base}_total`, []]];
    case 'OBSERVABLE_GAUGE':
      return [[base, []]];
    default:
      throw new Error(`${name}: no rule is known for ${type}`);
  }
}

function labelsIn({ attributes }: { readonly attributes: object }): string[] {
  return Object.keys(attributes).map((key) => key.replaceAll(/\W/g, '_'));
}

/** The export of a service that has used every instrument. */
async function everythingMeasured(): Promise<Collected> {
  const asked: Producer[] = [];
  const reader: Reader = {
    setMetricProducer: (producer) => {
      asked.push(producer);
    },
    selectAggregation: () => ordinary,
    selectAggregationTemporality: () => 1,
    selectCardinalityLimit: () => 100,
    collect: () => Promise.reject(new Error('no caller')),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const metrics = new Metrics({ service: 'test', logger, readers: [reader] });
  measureAll(metrics);
  const [producer] = asked;
  if (producer === undefined) throw new Error('nothing is measured');
  // The delay of the event loop is measured by its turns.
  const resourceMetrics = await eventually(async () => {
    await sleep(turnsMs);
    const { resourceMetrics: read } = await producer.collect();
    const found = read.scopeMetrics.flatMap(({ metrics: all }) => all);
    const names = found.map(({ descriptor }) => descriptor.name);
    expect(names).toContain('nodejs.eventloop.delay.p99');
    return read;
  });
  await metrics.shutdown();
  return resourceMetrics;
}
