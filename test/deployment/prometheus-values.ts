import { globSync, readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { attributeValues, callBoundaries, lagBoundaries } from '@billing/chassis/metrics';
import { routes } from '@billing/gateway/routes';
import { serviceNames } from '@billing/local/services';
import type { Matcher, Selector } from './prometheus-expression';

const named = Object.entries(attributeValues).map(([attribute, values]): [string, string[]] => [
  attribute.replaceAll('.', '_'),
  [...values],
]);

const root = join(__dirname, '../..');

// As the definitions of the services' documents name them.
const aggregates = globSync('services/*/src/**/*.ts', { cwd: root }).flatMap((path) => {
  const definitions = readFileSync(join(root, path), 'utf8').matchAll(
    /^ {2}aggregate: '(\w+)',$/gm,
  );
  return [...definitions].flatMap(([, name = '']) => (path.includes('.test.') ? [] : [name]));
});

/** The possible values of labels, where known. */
const valuesOf = new Map<string, readonly string[]>([
  ...named,
  ['service_name', serviceNames],
  ['billing_aggregate', aggregates],
  ['rpc_response_status_code', Object.keys(status).filter((name) => /^[A-Z_]+$/.test(name))],
  ['http_response_status_code', Object.keys(STATUS_CODES)],
  ['http_route', ['/healthz', '/readyz', ...routes.map(({ path }) => `/v1${path}`)]],
  ['le', [...callBoundaries, ...lagBoundaries, '+Inf'].map(String)],
  ['alertstate', ['pending', 'firing']],
]);

/** Returns the matchers whose value no series can have, or whose label is unknown. */
export function impossibleValues(selectors: readonly Selector[]): string[] {
  return selectors
    .flatMap(({ matchers }) => matchers)
    .filter(({ value }) => !value.startsWith('$'))
    .filter((matcher) => !isPossible(matcher, valuesOf.get(matcher.label) ?? []))
    .map(({ label, operator, value }) => `${label}${operator}"${value}"`);
}

/** Like `impossibleValues`, for series that also have labels with arbitrary values. */
export function impossibleLabels(selectors: readonly Selector[]): string[] {
  return impossibleValues(
    selectors.map(({ metric, matchers }) => ({
      metric,
      matchers: matchers.filter(({ label }) => valuesOf.has(label)),
    })),
  );
}

function isPossible({ operator, value }: Matcher, values: readonly string[]): boolean {
  if (operator === '=' || operator === '!=') return values.includes(value);
  // Each alternative must match something.
  return value.split('|').every((one) => values.some((each) => new RegExp(`^${one}$`).test(each)));
}
