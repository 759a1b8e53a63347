import type { ApiRequest } from '../../api/client';
import { createSampleData, sampleSteps } from './sample-data';

test('each step is sent once under its own key, with the ids of the steps before', async () => {
  const sent: ApiRequest[] = [];
  await createSampleData((request) => {
    sent.push(request);
    return Promise.resolve({ id: `id ${String(sent.length)}` });
  });
  expect(sent.map(({ path }) => path)).toEqual(sampleSteps.map(({ path }) => path));
  expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(sent.length);
  expect(sent[5]?.body).toMatchObject({ customerId: 'id 3', productId: 'id 1' });
  expect(sent.at(-1)?.body).toEqual({ label: 'Plans', productIds: ['id 1', 'id 2'] });
  expect(JSON.stringify(sent)).not.toContain('"$');
});

test('a failure ends the steps, and the next run repeats the same requests', async () => {
  const run = async (failAt: number) => {
    const sent: ApiRequest[] = [];
    const work = createSampleData((request) => {
      sent.push(request);
      if (sent.length === failAt) return Promise.reject(new Error('lost'));
      return Promise.resolve({ id: `id ${String(sent.length)}` });
    });
    await work.catch(() => undefined);
    return sent;
  };
  const [first, second] = [await run(4), await run(0)];
  expect(first).toHaveLength(4);
  expect(second.slice(0, 4)).toEqual(first);
});
