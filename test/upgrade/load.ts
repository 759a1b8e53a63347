import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@billing/chassis/ids';
import type { ApiClient, Answer } from '../support/api-client';
import { authorization, type Life } from './life';

/** Requests per round; a round also advances the clock by a day. */
const creations = 5;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Creates, reads, changes, uses and renews until the time is over; returns what was not answered
 * with success, and the number of requests.
 */
export async function loadFor(
  seconds: number,
  api: ApiClient,
  life: Life,
): Promise<{ failures: string[]; requests: number }> {
  const failures: string[] = [];
  let requests = 0;
  const send = async (method: string, path: string, body?: object): Promise<Answer> => {
    requests += 1;
    const answer = await api.request(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) {
      failures.push(`${method} ${path}: ${String(answer.status)} ${JSON.stringify(answer.body)}`);
    }
    return answer;
  };
  const until = performance.now() + seconds * 1_000;
  do {
    await Promise.all(Array.from({ length: creations }, () => buy(send, life)));
    const { body } = await send('GET', '/sandboxes/clock');
    const to = new Date(new Date(String(body.now)).getTime() + dayMs).toISOString();
    await send('POST', '/sandboxes/clock/advance', { to });
    await delay(0);
  } while (performance.now() < until);
  return { failures, requests };
}

type Send = (method: string, path: string, body?: object) => Promise<Answer>;

/** A customer who subscribes, uses what was bought, pays for something else and leaves. */
async function buy(send: Send, { productId, meterId }: Life): Promise<void> {
  const { body: customer } = await send('POST', '/customers', { email: 'load@example.com' });
  const customerId = String(customer.id);
  await send('PATCH', `/customers/${customerId}`, { name: 'Changed' });
  const subscription = { customerId, productId, authorizedTransactionId: authorization() };
  const { body: bought } = await send('POST', '/subscriptions', subscription);
  const events = [{ customerId, meterId, quantity: 3, eventId: newId() }];
  await send('POST', '/events/ingest', { events });
  await send('GET', `/customers/${customerId}/state`);
  await send('POST', '/checkout', { customerId, productId });
  const lines = [{ description: 'Setup', amount: 100 }];
  await send('POST', '/invoices', { customerId, lines, finalize: true });
  for (const list of ['invoices', 'subscriptions', 'customers', 'webhook-events', 'discounts']) {
    await send('GET', `/${list}`);
  }
  await send('POST', `/subscriptions/${String(bought.id)}/cancel`, { atPeriodEnd: true });
}
