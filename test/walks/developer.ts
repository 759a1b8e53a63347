import { eventually } from '@billing/chassis/testing';
import type { OperatorWalk } from './operator-walk';

/** A developer creates a sandbox, a key and a webhook endpoint, and moves the clock. */
export async function walkAsDeveloper(
  walk: OperatorWalk,
  { name, endpointUrl }: { name: string; endpointUrl: string },
): Promise<void> {
  const { page, hands } = walk;
  await walk.heading('Sandboxes');
  await walk.inDialog('New sandbox', async () => {
    await hands.type(walk.field('Name'), name);
    await walk.look('new sandbox');
    await walk.send('Create sandbox');
  });
  await page.getByRole('region', { name: 'API key', exact: true }).waitFor();
  await walk.look('created sandbox');
  await hands.press(page.getByRole('link', { name: 'Open sandbox' }));
  await page.getByText('Sandbox time:').waitFor();

  await walk.open('API keys');
  await walk.inDialog('New key', async () => {
    await hands.type(walk.field('Name'), 'Reports');
    await walk.confirm('Read only');
    await hands.press(walk.field('customers:read'));
    await hands.press(walk.field('customers:read'));
    expect(await walk.field('customers:read').isChecked()).toBe(true);
    await walk.look('new key');
    await walk.confirm('Create key');
  });
  await page.getByRole('region', { name: 'curl command' }).waitFor();
  await walk.look('created key');
  await hands.press(walk.button('Done'));
  await page.getByRole('region', { name: 'curl command' }).waitFor({ state: 'detached' });

  await receiveWebhook(walk, endpointUrl);
  await repeatRequest(walk);
  await moveClock(walk);
}

async function receiveWebhook(walk: OperatorWalk, endpointUrl: string): Promise<void> {
  const { page, hands } = walk;
  await walk.open('Webhooks');
  await walk.inDialog('New endpoint', async () => {
    await hands.type(walk.field('URL'), endpointUrl);
    await walk.look('new endpoint');
    await walk.send('Add endpoint');
  });
  await page.getByRole('region', { name: 'signing secret' }).waitFor();
  await hands.press(page.getByRole('link', { name: endpointUrl }));
  await walk.heading('Webhook endpoint');
  await hands.press(walk.button('Send test webhook'));
  await page.locator('.badge', { hasText: 'delivered' }).waitFor();
  await walk.look('endpoint');
  await walk.inDialog('View', async () => {
    await page.getByRole('heading', { name: 'Attempt 1: 204' }).waitFor();
    await walk.look('delivery');
    await walk.confirm('Close');
  });
}

/** Finds a request in the log, with the command that repeats it. */
async function repeatRequest(walk: OperatorWalk): Promise<void> {
  const { page, hands } = walk;
  const logged = page.getByRole('link', { name: 'POST /v1/webhook-endpoints', exact: true });
  await walk.open('Request log');
  // A request is in the log a moment after its answer.
  await eventually(async () => {
    await page.reload();
    await walk.heading('Request log');
    await logged.waitFor({ timeout: 5_000 });
  });
  await walk.look('request log');
  await hands.press(logged);
  await walk.heading('POST /v1/webhook-endpoints');
  const command = page.getByRole('region', { name: 'curl command' });
  expect(await command.textContent()).toContain('Authorization: Bearer YOUR_KEY');
  await walk.look('request');
}

async function moveClock(walk: OperatorWalk): Promise<void> {
  const { page, hands } = walk;
  await hands.press(page.getByRole('link', { name: /^Sandbox time:/ }));
  await hands.press(walk.button('1 day'));
  await hands.press(walk.button('Advance clock'));
  await page.getByText(/^Advanced to/).waitFor();
  await walk.look('advanced clock');
}
