import { DomainError } from '@billing/kernel/domain-error';
import { systemClock } from '../clock';
import { StoringGate } from '../grpc/call-context';
import { elseAsWritten } from './else-as-written';

test('a wait that ends returns its result, and nothing is logged', async () => {
  const logger = { warn: jest.fn() };
  expect(await elseAsWritten('written', Promise.resolve('reached'), { logger })).toBe('reached');
  expect(logger.warn).not.toHaveBeenCalled();
});

test('a wait that fails returns the state as written, and logs the facts', async () => {
  const logger = { warn: jest.fn() };
  const err = new Error('connection closed');
  const wait = Promise.reject(err);
  expect(await elseAsWritten('written', wait, { logger, invoiceId: 'a' })).toBe('written');
  expect(logger.warn).toHaveBeenCalledWith({ invoiceId: 'a', err }, expect.any(String));
});

test('a wait ends when its call has to answer', async () => {
  const logger = { warn: jest.fn() };
  const storing = new StoringGate(systemClock.now(), systemClock);
  const never = new Promise<string>(() => undefined);
  expect(await elseAsWritten('written', never, { logger, storing, message: 'late' })).toBe(
    'written',
  );
  const err: unknown = expect.objectContaining({ reason: 'STILL_UNDER_WAY' });
  expect(logger.warn).toHaveBeenCalledWith({ err }, 'late');
});

test('a refusal can be the outcome of a wait, and unavailability never is', async () => {
  const logger = { warn: jest.fn() };
  const failing = (kind: 'failed_precondition' | 'unavailable') =>
    elseAsWritten('written', Promise.reject(new DomainError(kind, 'REASON', 'Refused')), {
      logger,
      throwsRefusals: true,
    });
  await expect(failing('failed_precondition')).rejects.toMatchObject({ reason: 'REASON' });
  expect(await failing('unavailable')).toBe('written');
});
