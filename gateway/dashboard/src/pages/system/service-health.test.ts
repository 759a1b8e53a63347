import { bytesText, disksOf, problemsOfService, versionsText } from './service-health';

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
  [{ ...well, disk: { freeBytes: 15, totalBytes: 100 } }, []],
  [
    { ...well, disk: { freeBytes: 3 * 2 ** 30, totalBytes: 30 * 2 ** 30 } },
    ['checkout: Disk of the data: 10 % free (3.0 of 30.0 GiB).'],
  ],
])('a service with the status %j has the problems %j', (service, problems) => {
  expect(problemsOfService(service)).toEqual(problems);
});

test('memory is shown in whole mebibytes', () => {
  expect(bytesText(187.4 * 2 ** 20)).toBe('187 MiB');
});

test.each([
  [[], 'No replica has a heartbeat.'],
  [[{ version: '0.1.0', living: true }], '1 replica runs version 0.1.0.'],
  [
    ['0.2.0', '0.1.0', '0.2.0'].map((version) => ({ version, living: true })),
    '3 replicas run version 0.1.0 and 0.2.0.',
  ],
  [
    [
      { version: '0.2.0', living: true },
      { version: '0.1.0', living: false },
    ],
    '1 replica runs version 0.2.0.',
  ],
])('the versions of the replicas %j are told', (replicas, text) => {
  expect(versionsText(replicas)).toBe(text);
});

test('services on one machine share its disk', () => {
  const disk = { freeBytes: 5, totalBytes: 10 };
  const services = [{ disk: null }, { disk }, { disk: { ...disk, freeBytes: 4 } }];
  expect(disksOf(services)).toEqual([{ freeBytes: 4, totalBytes: 10 }]);
});
