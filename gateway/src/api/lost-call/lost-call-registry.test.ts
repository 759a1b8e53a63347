import { systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import { testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import type { Peers } from '../../peer/peers';
import { LostCallRegistry } from './lost-call-registry';

const lost = { callerId: 'caller', fingerprint: 'of a request' };
const ended = { claimId: undefined, runningUntil: undefined, answer: undefined };
const running = { ...ended, runningUntil: new Date() };
const claim = { claimId: 'claim', claimedUntil: new Date() };

function registryWith(recordLostCall: () => Promise<object>) {
  const claimLostCall = jest.fn(() => Promise.resolve({ id: 'a', isRunning: false }));
  const calls = { recordLostCall, claimLostCall } as unknown as Peers['lostCall'];
  const logger = createLogger({ service: 'test', level: 'silent' });
  return { registry: new LostCallRegistry({ calls, clock: systemClock, logger }), claimLostCall };
}

test.each(['STORAGE_FULL', 'WRITES_PAUSED'])(
  'a retry of a call that cannot be recorded because of %s is refused, too',
  async (reason) => {
    const refusal = new DomainError('unavailable', reason, 'Service unavailable');
    const { registry, claimLostCall } = registryWith(() => Promise.reject(refusal));
    registry.record({ id: 'a', ...lost }, running);
    // Waits for the first record.
    registry.record({ id: 'a', ...lost }, ended);
    await expect(registry.claim(lost, claim, testContext())).rejects.toBe(refusal);
    await expect(registry.claim(lost, claim, testContext())).rejects.toBe(refusal);
    expect(claimLostCall).not.toHaveBeenCalled();
    await registry.close();
  },
);

test('a retry waits until its call is recorded', async () => {
  const recorded = Promise.withResolvers<object>();
  const { registry, claimLostCall } = registryWith(() => recorded.promise);
  registry.record({ id: 'a', ...lost }, ended);
  const claimed = registry.claim(lost, claim, testContext());
  await new Promise(setImmediate);
  expect(claimLostCall).not.toHaveBeenCalled();
  recorded.resolve({});
  await expect(claimed).resolves.toMatchObject({ id: 'a' });
  await registry.close();
});
