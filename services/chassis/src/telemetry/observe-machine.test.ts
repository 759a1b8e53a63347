import { tmpdir } from 'node:os';
import { X509Certificate } from 'node:crypto';
import { systemClock } from '../clock';
import { createTestAuthority } from '../testing/network';
import type { Metrics, Observation } from './metrics';
import { observeBackup, observeCertificate, observeDisk } from './observe-machine';

/** Reads what is observed, in place of an export. */
function observed(register: (metrics: Pick<Metrics, 'observe'>) => void) {
  const reads: (() => Promise<readonly Observation[]>)[] = [];
  register({ observe: (_instrument, read) => void reads.push(read) });
  return Promise.all(reads.map((read) => read()));
}

test('the free share of a disk is between none and all of it', async () => {
  const [[{ value } = { value: -1 }] = []] = await observed((metrics) => {
    observeDisk(metrics, tmpdir());
  });
  expect(value).toBeGreaterThanOrEqual(0);
  expect(value).toBeLessThanOrEqual(1);
});

test('a backup has its age, and a database without one has none', async () => {
  const now = new Date('2026-11-28T12:00:00Z');
  const clock = { ...systemClock, now: () => now };
  const values = await observed((metrics) => {
    const at = new Date('2026-11-28T11:59:00Z');
    observeBackup(metrics, { lastBackup: () => Promise.resolve(at) }, clock);
    observeBackup(metrics, { lastBackup: () => Promise.resolve(undefined) }, clock);
  });
  expect(values).toEqual([[{ value: 60, attributes: {} }], []]);
});

test('a certificate has the time until it expires, and a process without one has none', async () => {
  const { certificate } = createTestAuthority().issue();
  const expiresAt = new Date(new X509Certificate(certificate).validTo);
  const clock = { ...systemClock, now: () => new Date(expiresAt.getTime() - 60_000) };
  const values = await observed((metrics) => {
    observeCertificate(metrics, { GRPC_TLS_CERT: certificate }, clock);
    observeCertificate(metrics, {}, clock);
  });
  expect(values).toEqual([[{ value: 60, attributes: {} }]]);
});
