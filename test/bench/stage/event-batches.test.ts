import { EventBatches } from './event-batches';

const now = new Date('2026-03-10T12:00:00.000Z');
const shape = { size: 1_000, customerIds: ['a', 'b'], meterIds: ['m'] };

function idsIn(body: Buffer): string[] {
  const { events } = JSON.parse(body.toString()) as { events: { eventId: string }[] };
  return events.map(({ eventId }) => eventId);
}

test('batches of different numbers have no event in common', () => {
  const batches = new EventBatches(shape, now);
  const ids = [...idsIn(batches.batch(1, now)), ...idsIn(batches.batch(123_456_789, now))];
  expect(new Set(ids).size).toBe(2_000);
});

test('a batch is unchanged after the next one is built', () => {
  const batches = new EventBatches(shape, now);
  const first = batches.batch(1, now);
  const before = first.toString();
  batches.batch(2, now);
  expect(first.toString()).toBe(before);
});

test('the events of a batch have the time of the batch', () => {
  const later = new Date('2026-03-10T12:34:56.789Z');
  const body = new EventBatches(shape, now).batch(1, later);
  const { events } = JSON.parse(body.toString()) as { events: { timestamp: string }[] };
  expect(new Set(events.map(({ timestamp }) => timestamp))).toEqual(new Set([later.toISOString()]));
});

test('a tenth of a dirty batch repeats events, and a hundredth has an unknown customer', () => {
  const batches = new EventBatches({ ...shape, isDirty: true }, now);
  const first = new Set(idsIn(batches.batch(1, now)));
  const second = batches.batch(2, now);
  expect(idsIn(second).filter((id) => first.has(id))).toHaveLength(100);
  const { events } = JSON.parse(second.toString()) as { events: { customerId: string }[] };
  expect(events.filter(({ customerId }) => !['a', 'b'].includes(customerId))).toHaveLength(10);
});
