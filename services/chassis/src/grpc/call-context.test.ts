import { answerBy, StoringGate, waitAtMost } from './call-context';

const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);

test('a request stores nothing when fewer than two seconds of its deadline are left', () => {
  const late = new StoringGate(after(1_999), { now: () => start });
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    expect(() => {
      late.pass();
    }).toThrow(expect.objectContaining({ kind: 'unavailable', reason: 'TOO_LATE_TO_STORE' }));
  }
  const inTime = new StoringGate(after(2_000), { now: () => start });
  expect(() => {
    inTime.pass();
  }).not.toThrow();
});

test('a request that has started to store completes its writes, however little time is left', () => {
  let now = start;
  const gate = new StoringGate(after(5_000), { now: () => now });
  gate.pass();
  now = after(6_000);
  expect(() => {
    gate.pass();
  }).not.toThrow();
});

test('a request that was closed after writes elsewhere needs time for its own write again', () => {
  let now = start;
  const gate = new StoringGate(after(5_000), { now: () => now });
  gate.pass();
  now = after(3_001);
  gate.close();
  expect(() => {
    gate.pass();
  }).toThrow(expect.objectContaining({ reason: 'TOO_LATE_TO_STORE' }));
  now = start;
  gate.pass();
  now = after(3_001);
  expect(() => {
    gate.pass();
  }).not.toThrow();
});

test('a call waits for the given time, and no longer than it has to answer', () => {
  const context = { deadline: after(10_000) };
  expect(waitAtMost(2_000, context, start)).toEqual(after(2_000));
  expect(waitAtMost(60_000, context, start)).toEqual(answerBy(context));
});
