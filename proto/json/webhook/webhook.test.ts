import { toJsonWebhookBody } from './webhook';

const head = {
  id: 'm',
  type: 'product.updated',
  timestamp: '2026-01-17T00:00:00.000Z',
  sequence: 3,
};

describe('the body of a webhook', () => {
  test('repeats the scalars of its data between head and data, in their order', () => {
    const data = {
      productId: 'p',
      customerId: null,
      attempt: 0,
      charging: false,
      product: { id: 'p' },
      prices: ['p'],
      reason: '',
      nextAttemptAt: undefined,
    };
    expect(JSON.stringify(toJsonWebhookBody(head, data))).toBe(
      '{"id":"m","type":"product.updated","timestamp":"2026-01-17T00:00:00.000Z","sequence":3,' +
        '"productId":"p","customerId":null,"attempt":0,"charging":false,"reason":"",' +
        '"data":{"productId":"p","customerId":null,"attempt":0,"charging":false,' +
        '"product":{"id":"p"},"prices":["p"],"reason":""}}',
    );
  });

  test.each(['id', 'type', 'timestamp', 'sequence', 'data', 'payload', 'restoreCode'])(
    'does not repeat the key "%s" of its data',
    (key) => {
      const data = { [key]: 'of the data' };
      expect(toJsonWebhookBody(head, data)).toEqual({ ...head, data });
    },
  );
});
