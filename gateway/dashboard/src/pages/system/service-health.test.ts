import { bytesText, problemsOfService } from './service-health';

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
  [{ ...well, version: null, databaseReachable: null }, ['checkout is not responding.']],
  [{ ...well, databaseReachable: false }, ['checkout cannot reach its database.']],
  [
    { ...well, streamReachable: false },
    ['checkout cannot reach the event stream. Webhooks are delayed by some seconds.'],
  ],
  [{ ...well, streamReplicasMissing: 2 }, ['Missing replicas of the event stream: 2.']],
  [{ ...well, outboxAgeSeconds: 90 }, ['checkout has outbox entries pending for 90 s.']],
  [{ ...well, streamLag: 1_001 }, ['checkout is 1,001 events behind.']],
  [{ ...well, eventLoopDelayMs: 250 }, ['checkout is overloaded.']],
])('a service with the status %j has the problems %j', (service, problems) => {
  expect(problemsOfService(service)).toEqual(problems);
});

test('memory is shown in whole mebibytes', () => {
  expect(bytesText(187.4 * 2 ** 20)).toBe('187 MiB');
});
