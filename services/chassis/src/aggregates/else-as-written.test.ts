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
