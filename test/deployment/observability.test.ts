import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { instrumentNames } from '@billing/chassis/metrics';
import { serviceNames } from '@billing/local/services';
import { labelsOf, type Matcher, readExpression } from './prometheus-expression';
import { impossibleLabels, impossibleValues } from './prometheus-values';
import { type Labels, prometheusMetrics } from './prometheus-metrics';
import {
  hasKubectl,
  type Manifest,
  renderManifests,
  renderUncheckedManifests,
} from './rendered-manifests';
import { expectRestricted } from './restricted-pod';

const folder = join(__dirname, '../../deploy/observability');
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const testWithKubectl = hasKubectl() ? test : test.skip;

const groups: any[] = parse(read('prometheus/alerts.yaml')).groups;
const rules: any[] = groups.flatMap((group) => group.rules);
const alerts = rules.filter((rule) => rule.alert !== undefined);
const records = rules.filter((rule) => rule.record !== undefined);
const dashboards: any[] = readdirSync(join(folder, 'grafana')).map((file) =>
  JSON.parse(read(`grafana/${file}`)),
);
const panels: any[] = dashboards.flatMap((dashboard) =>
  dashboard.panels.filter((panel: any) => panel.type !== 'row'),
);
const targets: any[] = panels.flatMap((panel) => panel.targets);

describe('queries of Prometheus', () => {
  let known: Map<string, Labels>;

  beforeAll(async () => {
    known = await prometheusMetrics();
    for (const { record, expr } of records) known.set(record, new Set(labelsOf(expr)));
    // Metrics of kube-state-metrics.
    for (const metric of ['spec_max_replicas', 'status_current_replicas']) {
      const labels = new Set(['namespace', 'horizontalpodautoscaler']);
      known.set(`kube_horizontalpodautoscaler_${metric}`, labels);
    }
    // Prometheus' own metric of firing alerts, with their labels.
    known.set('ALERTS', new Set(['alertname', 'alertstate', 'severity']));
  });

  test('queries use only metrics of instruments, with labels that they have', () => {
    expect(asked().length).toBeGreaterThan(60);
    expect(asked().flatMap((expr) => strangersIn(expr, known))).toEqual([]);
  });

  test('queries select only values that labels can have', () => {
    const selectors = asked()
      .flatMap((expr) => readExpression(expr).selectors)
      .map(({ metric, matchers }) => ({
        metric,
        matchers: matchers.filter(({ label }) => !['alertname', 'namespace'].includes(label)),
      }));
    expect(selectors.flatMap(({ matchers }) => matchers).length).toBeGreaterThan(40);
    expect(impossibleValues(selectors)).toEqual([]);
    const { tests } = parse(read('prometheus/alerts.test.yaml'));
    const series: string[] = tests.flatMap(({ input_series: each }: any) =>
      each.map(({ series }: any) => series),
    );
    const shown = series.flatMap((one) => readExpression(one).selectors);
    expect(impossibleLabels(shown)).toEqual([]);
  });

  test.each([
    ['billing_payments_total{billing_payment_outcome="FAILURE"}', 1],
    ['rpc_server_call_duration_seconds_count{rpc_response_status_code=~"13|INTERNAL"}', 1],
    ['billing_due_work_backlog{billing_due_work_kind!="recovery"}', 1],
    ['billing_due_work_backlog{billing_aggregate="mail"}', 1],
    ['http_server_active_requests{new_label="x"}', 1],
    ['http_server_active_requests{http_route!~"/healthz|/readyz",service_name="$service"}', 0],
  ])('%s selects %i impossible values', (expr, times) => {
    expect(impossibleValues(readExpression(expr).selectors)).toHaveLength(times);
  });

  test('queries about money exclude sandboxes', () => {
    const counted = asked()
      .flatMap((expr) => readExpression(expr).selectors)
      .filter(({ metric }) => hasLive(metric) && !isForBoth(metric));
    expect(new Set(counted.map(({ metric }) => metric)).size).toBe(12);
    expect(counted.filter(({ matchers }) => !matchers.some(isSame(real)))).toEqual([]);
  });

  test('a sandbox alone makes no alert critical', () => {
    const critical = alerts.filter(({ labels }) => labels.severity === 'critical');
    const selectors = critical
      .flatMap(({ expr }) => readExpression(expr).selectors)
      .filter(({ metric }) => hasLive(metric));
    expect(selectors.length).toBeGreaterThan(10);
    expect(selectors.filter(({ matchers }) => !matchers.some(isSame(real)))).toEqual([]);
  });

  const real = { label: 'billing_live', operator: '=', value: 'true' };
  const hasLive = (metric: string) => known.get(metric)?.has('billing_live') === true;
  // Panels and warnings show both kinds; requests also have callers without a key.
  const isForBoth = (metric: string) =>
    /^billing[:_](outbox_age|due_work_age)_seconds|^http_server_request_|^billing_(events_missing|poison_messages|usage_audit_hours)/.test(
      metric,
    );

  test('every instrument is used by an alert or a dashboard', () => {
    for (const name of instrumentNames) {
      const start = name.replaceAll('.', '_');
      expect([...known.keys()].some((metric) => metric.startsWith(start))).toBe(true);
    }
    const metrics = asked().flatMap((expr) => [...readExpression(expr).metrics.keys()]);
    const instrument = (metric: string) => metric.replace(/_(bucket|count|sum)$/, '');
    const unasked = [...known.keys()].filter(
      (metric) => !metrics.some((name) => instrument(name) === instrument(metric)),
    );
    expect(unasked).toEqual([]);
  });

  test('texts of alerts and panels name only labels of their query', () => {
    const texts = [
      ...alerts.map(({ expr, annotations }) => ({
        expr,
        labels: [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)],
      })),
      ...targets.map(({ expr, legendFormat }) => ({
        expr,
        labels: [...String(legendFormat).matchAll(/\{\{(\w+)\}\}/g)],
      })),
    ];
    const strangers = texts.flatMap(({ expr, labels }) => {
      const ofMetrics = [...readExpression(expr).metrics.keys()].flatMap((name) => [
        ...(known.get(name) ?? []),
      ]);
      // An aggregation has only the labels by which it groups.
      const isGrouped = /\b(sum|max|min|count|absent) ?(by|\()/.test(expr);
      const there = new Set(isGrouped ? labelsOf(expr) : ofMetrics);
      return labels.flatMap(([, label = '']) => (there.has(label) ? [] : [`${label}: ${expr}`]));
    });
    expect(strangers).toEqual([]);
  });

  test('an alert covers each service that stops exporting metrics', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'BillingServiceUnseen');
    const looked = [...expr.matchAll(/service_name="(\w+)"/g)].map(([, name]) => name);
    expect(looked.sort()).toEqual([...serviceNames].sort());
  });
});

function asked(): string[] {
  return [...rules, ...targets].map(({ expr }) => expr);
}

const isSame = (wanted: Matcher) => (matcher: Matcher) =>
  JSON.stringify(matcher) === JSON.stringify(wanted);

function strangersIn(expr: string, known: ReadonlyMap<string, Labels>): string[] {
  const { metrics, groupings } = readExpression(expr);
  const there = new Set([...metrics.keys()].flatMap((name) => [...(known.get(name) ?? [])]));
  return [
    ...[...metrics].flatMap(([name, labels]) => {
      const own = known.get(name);
      if (own === undefined) return [`no metric ${name}: ${expr}`];
      return labels.filter((label) => !own.has(label)).map((label) => `${name} has no ${label}`);
    }),
    ...groupings.filter((label) => !there.has(label)).map((label) => `no ${label}: ${expr}`),
  ];
}

describe('alerts', () => {
  const headings = new Set(
    [...read('RUNBOOK.md').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    ),
  );

  test.each(alerts.map((rule) => [rule.alert, rule]))(
    '%s has a severity, a description and a section in the runbook',
    (_name, { labels, annotations }) => {
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\S/);
      expect(annotations.description).toMatch(/\.$/);
      expect(headings).toContain(annotations.runbook.replace(/^RUNBOOK\.md#/, ''));
    },
  );

  test('each alert has a case in which it fires and one in which it is silent', () => {
    const cases = parse(read('prometheus/alerts.test.yaml'));
    expect(cases.rule_files).toEqual(['alerts.yaml']);
    expect(cases.group_eval_order).toEqual(groups.map(({ name }) => name));
    const outcomesAsked: any[] = cases.tests.flatMap((each: any) => each.alert_rule_test);
    const outcomes = (alert: string) =>
      new Set(
        outcomesAsked
          .filter(({ alertname }) => alertname === alert)
          .map(({ exp_alerts }) => (exp_alerts.length > 0 ? 'fires' : 'silent')),
      );
    const names = alerts.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => outcomes(name).size < 2)).toEqual([]);
    expect(outcomesAsked.filter(({ alertname }) => !names.includes(alertname))).toEqual([]);
  });
});

describe('dashboards', () => {
  test('every panel has a title, a description and a unit', () => {
    const silent = panels.filter(
      ({ title, description, fieldConfig }) =>
        !title || !description?.endsWith('.') || !fieldConfig.defaults.unit,
    );
    expect(silent.map(({ title }) => title)).toEqual([]);
    const ids = dashboards.map(({ panels: own }) => own.map(({ id }: any) => id));
    for (const own of ids) expect(new Set(own).size).toBe(own.length);
  });

  test('every dashboard links to failed traces', () => {
    for (const { links } of dashboards) {
      const { url } = links.find(({ title }: any) => title === 'Failed traces');
      const { traces } = JSON.parse(new URLSearchParams(url.split('?')[1]).get('panes') ?? '');
      expect(traces.datasource).toBe('${traces}');
      expect(traces.queries[0].query).toContain('status = error');
    }
  });

  test('dashboards take their data sources from variables that exist', () => {
    for (const dashboard of dashboards) {
      const variables = dashboard.templating.list.map(({ name }: any) => name);
      const text = JSON.stringify(dashboard);
      const used = [...text.matchAll(/\$\{?(\w+)\}?/g)].map(([, name = '']) => name);
      const strangers = used.filter((name) => !name.startsWith('__') && !variables.includes(name));
      expect(strangers).toEqual([]);
      const uids = [...text.matchAll(/"datasource":\{"type":"\w+","uid":"([^"]*)"\}/g)];
      expect(new Set(uids.map(([, uid]) => uid))).toEqual(new Set(['${datasource}']));
    }
  });
});

describe('the collector', () => {
  const config = parse(read('collector/config.yaml'));

  test('every configured component is used by a pipeline, and no other', () => {
    const pipelines: any[] = Object.values(config.service.pipelines);
    for (const kind of ['receivers', 'processors', 'exporters']) {
      const used = new Set(pipelines.flatMap((pipeline) => pipeline[kind]));
      expect([...used].sort()).toEqual(Object.keys(config[kind]).sort());
    }
    expect(config.service.extensions).toEqual(Object.keys(config.extensions));
  });

  test('the collector names metrics and labels as alerts query them', () => {
    expect(config.exporters.prometheus).toEqual({
      endpoint: expect.stringMatching(/:8889$/),
      translation_strategy: 'UnderscoreEscapingWithSuffixes',
      resource_to_telemetry_conversion: { enabled: true },
      without_scope_info: true,
      metric_expiration: '3m',
    });
    expect(config.service.pipelines.metrics).toMatchObject({
      receivers: ['otlp'],
      exporters: ['prometheus'],
    });
    // Without it `job` and `instance` are the collector's.
    const { scrape_configs: scrapes, rule_files: files } = parse(
      read('prometheus/prometheus.yaml'),
    );
    expect(scrapes).toMatchObject([
      { honor_labels: true, static_configs: [{ targets: ['127.0.0.1:8889'] }] },
    ]);
    expect(files).toEqual(['alerts.yaml']);
  });

  test('the collector keeps the resource of the sending service', () => {
    const names = Object.values<any>(config.service.pipelines).flatMap(
      ({ processors }) => processors,
    );
    expect(names.filter((name) => /groupby|resource|transform/.test(name))).toEqual([]);
  });
});

describe('the Kubernetes objects', () => {
  let manifests: Manifest[];
  const find = (kind: string, name: string) => {
    const found = manifests.find(
      (manifest) => manifest.kind === kind && manifest.metadata.name.startsWith(name),
    );
    if (found === undefined) throw new Error(`no ${kind} ${name}`);
    return found;
  };

  beforeAll(async () => {
    manifests = hasKubectl() ? await renderManifests(folder) : [];
  });

  testWithKubectl(
    'the objects are valid, share one namespace and contain the files unchanged',
    () => {
      expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(
        new Set(['billing']),
      );
      const dashboardMap = find('ConfigMap', 'billing-dashboards');
      expect(dashboardMap.metadata.labels.grafana_dashboard).toBe('1');
      expect(Object.keys(dashboardMap.data)).toEqual(readdirSync(join(folder, 'grafana')));
      expect(find('ConfigMap', 'billing-alerts').data).toEqual({
        'alerts.yaml': read('prometheus/alerts.yaml'),
      });
    },
  );

  testWithKubectl('services find the collector, which admits them and Prometheus', async () => {
    const service = find('Service', 'billing-collector');
    const { template } = find('Deployment', 'billing-collector').spec;
    const policy = find('NetworkPolicy', 'billing-collector').spec;
    const { podSelector, policyTypes, ingress, egress } = policy;
    expect(template.metadata.labels).toMatchObject(service.spec.selector);
    expect(template.metadata.labels).toMatchObject(podSelector.matchLabels);
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    // DNS, and a trace backend in any namespace.
    const reached = egress.map(({ to, ports }: any) => [to, ports.map(({ port }: any) => port)]);
    const anyNamespace = [{ namespaceSelector: {} }];
    expect(reached).toEqual([
      [anyNamespace, [53, 53]],
      [anyNamespace, [4318]],
    ]);
    const container: any[] = template.spec.containers[0].ports;
    const numberOf = (wanted: string) =>
      container.find(({ name }) => name === wanted)?.containerPort;
    const numbers = service.spec.ports.map(({ port, targetPort }: any) => [
      port,
      numberOf(targetPort),
    ]);
    expect(numbers).toEqual([4318, 4317, 8889].map((port) => [port, port]));
    const admitted = ingress.map(({ ports }: any) => ports.map(({ port }: any) => numberOf(port)));
    expect(admitted).toEqual([[4318, 4317], [8889]]);

    const system = await renderUncheckedManifests(join(folder, '../kubernetes/example'));
    const settings = system.find(({ metadata }) => metadata.name === 'billing-settings');
    const endpoint = `http://${service.metadata.name}:4318`;
    expect(settings?.data.OTEL_EXPORTER_OTLP_ENDPOINT).toBe(endpoint);
    const [services, prometheus] = ingress.map(({ from }: any) => from);
    const senders = system.filter(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name !== service.metadata.name,
    );
    expect(senders).toHaveLength(serviceNames.length);
    expect(services).toEqual([{ podSelector: { matchLabels: expect.anything() } }]);
    for (const { metadata, spec } of senders) {
      expect(metadata.namespace).toBe(service.metadata.namespace);
      expect(spec.template.metadata.labels).toMatchObject(services[0].podSelector.matchLabels);
    }
    expect(prometheus).toEqual([
      {
        namespaceSelector: {},
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
      },
    ]);
  });

  testWithKubectl('the collector runs restricted, on the ports that it listens on', () => {
    const pod = find('Deployment', 'billing-collector').spec.template.spec;
    const [container] = pod.containers;
    expectRestricted(pod);
    const text = read('collector/config.yaml');
    for (const { containerPort } of container.ports) {
      expect(text).toContain(`\${env:LISTEN_HOST:-127.0.0.1}:${String(containerPort)}\n`);
    }
    const named = new Set(container.ports.map(({ name }: any) => name));
    const { ports } = find('Service', 'billing-collector').spec;
    for (const { targetPort } of ports) expect(named).toContain(targetPort);
    expect(container.image).toMatch(/^otel\/opentelemetry-collector-contrib:\d+\.\d+\.\d+$/);
  });
});
