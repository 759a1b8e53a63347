import { DatabaseHealth } from './database-health';
import { createLogger } from '../telemetry/logging';

const logger = createLogger({ service: 'test', level: 'silent' });

test('another answer of the database saves a ping, and its failures are noticed after it', async () => {
  let nowMs = 0;
  const ping = jest.fn(() => Promise.reject(new Error('away')));
  const health = new DatabaseHealth(ping, logger, () => nowMs);
  for (; nowMs < 10_000; nowMs += 1_000) {
    health.recordAnswer();
    expect(await health.isUp()).toBe(true);
  }
  nowMs += 999;
  expect(await health.isUp()).toBe(true);
  expect(ping).not.toHaveBeenCalled();
  nowMs += 1;
  expect(await health.isUp()).toBe(false);
});

test('one answer of the database is cached for two seconds', async () => {
  let nowMs = 0;
  let isDown = false;
  const ping = jest.fn(() => (isDown ? Promise.reject(new Error('away')) : Promise.resolve()));
  const health = new DatabaseHealth(ping, logger, () => nowMs);

  expect(await Promise.all([health.isUp(), health.isUp()])).toEqual([true, true]);
  isDown = true;
  nowMs = 1_999;
  expect(await health.isUp()).toBe(true);
  expect(ping).toHaveBeenCalledTimes(1);

  nowMs = 2_000;
  expect(await health.isUp()).toBe(false);
  isDown = false;
  nowMs = 4_000;
  expect(await health.isUp()).toBe(true);
  expect(ping).toHaveBeenCalledTimes(3);
});
