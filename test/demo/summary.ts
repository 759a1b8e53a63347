import type { Billing } from '@billing/client';
import type { DemoClient } from './demo-client';

const page = { perPage: 1 };
const counted: readonly (readonly [
  label: string,
  list: (api: Billing) => PromiseLike<{ total: number }>,
])[] = [
  ['Customers', ({ customers }) => customers.list(page)],
  ['Active', ({ subscriptions }) => subscriptions.list({ status: 'ACTIVE', ...page })],
  ['Past due', ({ subscriptions }) => subscriptions.list({ status: 'PAST_DUE', ...page })],
  ['Canceled', ({ subscriptions }) => subscriptions.list({ status: 'CANCELED', ...page })],
  ['Paid invoices', ({ invoices }) => invoices.list({ status: 'PAID', ...page })],
  ['Open invoices', ({ invoices }) => invoices.list({ status: 'OPEN', ...page })],
  ['Written off', ({ invoices }) => invoices.list({ status: 'UNCOLLECTIBLE', ...page })],
  ['Usage events', ({ events }) => events.list(page)],
];

/** Describes the contents of the sandbox, with links. */
export async function summaryText(
  client: DemoClient,
  { sandboxName, sandboxKey }: { sandboxName: string; sandboxKey: string },
): Promise<string> {
  const totals = await Promise.all(counted.map(([, list]) => list(client.api)));
  return [
    '',
    ...counted.map(([label], index) => `  ${label.padEnd(16)}${String(totals[index]?.total)}`),
    '',
    `  Dashboard       ${client.url}/dashboard, then choose the environment "${sandboxName}"`,
    `  Its key         ${sandboxKey}`,
    '',
  ].join('\n');
}
