import { webhookHeaders } from './signature';

test('headers are those of the notifier', () => {
  const id = '0199d3c4-7a00-5000-8000-000000000001';
  const type = 'subscription.created';
  const body = JSON.stringify({ id, type, timestamp: '2026-01-01T00:00:00.000Z', sequence: 1 });
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  expect(webhookHeaders({ id, type, body }, { secret, timestamp: 1_767_225_600 })).toEqual({
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': '1767225600',
    'webhook-signature': 'v1,4jUmY8y3Iy7NYigyq/05x96q/Nhq0VgPPaL20HqMoR4=',
    'billing-event': type,
    'billing-signature':
      't=1767225600,v1=db633060a31a8389a950b09923e001504fcf5c3a4b3f090b843d16f45eda16ac',
  });
});
