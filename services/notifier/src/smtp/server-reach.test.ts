import { ServerReach } from './server-reach';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

test('a server that cannot be reached is asked by one mail every 30 s', () => {
  const reach = new ServerReach();
  expect([reach.mayTry(at(0)), reach.mayTry(at(0))]).toEqual([true, true]);
  reach.recordSilence(at(0));
  expect(reach.mayTry(at(29))).toBe(false);
  expect(reach.waitMs(at(29))).toBe(1_000);
  expect([reach.mayTry(at(30)), reach.mayTry(at(30))]).toEqual([true, false]);
  expect(reach.mayTry(at(59))).toBe(false);
  expect(reach.mayTry(at(60))).toBe(true);
  reach.recordAnswer();
  expect([reach.mayTry(at(60)), reach.mayTry(at(60))]).toEqual([true, true]);
  expect(reach.waitMs(at(60))).toBe(0);
});
