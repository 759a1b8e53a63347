import { bytesText, trouble } from './service-health';

const well = {
  name: 'checkout',
  version: '1',
  databaseReachable: true,
  streamReachable: true,
  streamReplicasMissing: 0,
  outboxAgeSeconds: 0.2,
  streamLag: 0,
  eventLoopDelayMs: 11,
};

test.each([
  [well, []],
  [{ ...well, outboxAgeSeconds: null, streamLag: null }, []],
  [{ ...well, version: null, databaseReachable: null }, ['checkout does not answer.']],
  [{ ...well, databaseReachable: false }, ['checkout does not reach its database.']],
  [
    { ...well, streamReachable: false },
    ['checkout does not reach the event stream; webhooks come some seconds later.'],
  ],
  [{ ...well, streamReplicasMissing: 2 }, ['The event stream lacks 2 of its replicas.']],
  [{ ...well, outboxAgeSeconds: 90 }, ['checkout has not told others of a change for 90 s.']],
  [{ ...well, streamLag: 1_001 }, ['checkout is 1,001 events behind.']],
  [{ ...well, eventLoopDelayMs: 250 }, ['checkout has more to do than it can.']],
])('%j: %j', (service, told) => {
  expect(trouble(service)).toEqual(told);
});

test('memory is told in whole mebibytes', () => {
  expect(bytesText(187.4 * 2 ** 20)).toBe('187 MiB');
});
