import type { DemoClient } from './demo-client';

const counted: readonly (readonly [label: string, path: string])[] = [
  ['Customers', '/customers'],
  ['Active', '/subscriptions?status=ACTIVE'],
  ['Past due', '/subscriptions?status=PAST_DUE'],
  ['Canceled', '/subscriptions?status=CANCELED'],
  ['Paid invoices', '/invoices?status=PAID'],
  ['Open invoices', '/invoices?status=OPEN'],
  ['Written off', '/invoices?status=UNCOLLECTIBLE'],
  ['Usage events', '/events'],
];

/** Describes the contents of the sandbox, with links. */
export async function summaryText(
  client: DemoClient,
  { sandboxName, sandboxKey }: { sandboxName: string; sandboxKey: string },
): Promise<string> {
  const totals = await Promise.all(counted.map(async ([, path]) => totalOf(client, path)));
  return [
    '',
    ...counted.map(([label], index) => `  ${label.padEnd(16)}${String(totals[index])}`),
    '',
    `  Dashboard       ${client.url}/dashboard, then choose the environment "${sandboxName}"`,
    `  Its key         ${sandboxKey}`,
    '',
  ].join('\n');
}

async function totalOf(client: DemoClient, path: string): Promise<number> {
  const separator = path.includes('?') ? '&' : '?';
  const { total } = await client.get(`${path}${separator}perPage=1`);
  return total;
}
