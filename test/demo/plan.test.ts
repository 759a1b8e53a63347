import { Calendar } from './calendar';
import { offers } from './catalogue';
import { type DemoPlan, planDemo } from './plan';
import type { Step } from './step';

const until = new Date('2026-11-21T20:00:00Z');
const calendar = Calendar.of({ until, months: 13 });
const plan = planDemo({ seed: '1', customers: 200, calendar });

const stepsOf = ({ days }: DemoPlan): Step[] =>
  days.flatMap(({ turns }) => turns.flatMap(({ steps }) => steps));
const kindsOf = (some: DemoPlan): Set<string> => new Set(stepsOf(some).map(({ kind }) => kind));

test('covers thirteen months that end today, day by day, except for days without work', () => {
  expect(plan.days[0]?.at).toEqual(new Date('2025-10-21T08:50:00Z'));
  expect(plan.days.at(-1)?.at).toEqual(new Date('2026-11-21T08:50:00Z'));
  plan.days.forEach(({ day, at }, index) => {
    expect(at).toEqual(calendar.at(day));
    const since = day - (plan.days[index - 1]?.day ?? day - 1);
    expect(since > 0 && since <= 7).toBe(true);
  });
});

test('a plan is the same for the same seed, and differs for another', () => {
  const textOf = (seed: string) => JSON.stringify(planDemo({ seed, customers: 200, calendar }));
  // Compares texts, because the difference of two such plans takes long to print.
  expect(textOf('1') === JSON.stringify(plan)).toBe(true);
  expect(textOf('2') === JSON.stringify(plan)).toBe(false);
});

test('a plan has as many customers as requested, each with a unique address', () => {
  const people = new Map(
    plan.days.flatMap(({ turns }) => turns.map(({ person }) => [person.ref, person])),
  );
  expect([people.size, plan.totals.customers]).toEqual([200, 200]);
  expect(new Set([...people.values()].map(({ email }) => email)).size).toBe(200);
  for (const { email } of people.values())
    expect(email).toMatch(/^[a-z]+\.[a-z]+@[a-z]+\.example$/);
});

test('sells every product, in every way, with every fate', () => {
  expect(kindsOf(plan)).toEqual(
    new Set([
      'REGISTER',
      'SUBSCRIBE',
      'CHECK_OUT',
      'FOLLOW_LINK',
      'CANCEL',
      'UNCANCEL',
      'CHANGE_CARD',
      'PAY_INVOICES',
      'RETRY_INVOICES',
      'GRANT_CREDITS',
    ]),
  );
  const bought = stepsOf(plan).flatMap((step) => {
    return 'purchase' in step && typeof step.purchase === 'object' ? step.purchase.offer : [];
  });
  expect(new Set(bought)).toEqual(new Set(Object.keys(offers)));
  expect(stepsOf(plan).some((step) => step.kind === 'CHECK_OUT' && !step.isPaid)).toBe(true);
});

test('grows: more customers join in each third of the time than in the previous one', () => {
  const third = calendar.lastDay / 3;
  const joined = [0, 0, 0];
  for (const { day, turns } of plan.days) {
    const steps = turns.flatMap((turn) => turn.steps);
    const index = Math.min(Math.floor(day / third), 2);
    joined[index]! += steps.filter(
      ({ kind }) => kind === 'REGISTER' || kind === 'FOLLOW_LINK',
    ).length;
  }
  expect(joined).toEqual([...joined].sort((a, b) => a - b));
});

test('ingests usage within a week, each event once, and less of it on weekends', () => {
  const ids = new Set<string>();
  const calls = { weekend: [] as number[], workday: [] as number[] };
  for (const { at, usage } of plan.days) {
    for (const { eventId, timestamp, quantity, meter } of usage) {
      ids.add(eventId);
      const ageMs = at.getTime() - timestamp.getTime();
      expect(ageMs > 0 && ageMs < 7 * 24 * 3_600_000).toBe(true);
      // The day's use is reported in the afternoon, and a little more in the night.
      if (meter !== 'API calls' || timestamp.getUTCHours() < 12) continue;
      const isWeekend = [0, 6].includes(timestamp.getUTCDay());
      calls[isWeekend ? 'weekend' : 'workday'].push(quantity);
    }
  }
  expect(ids.size).toBe(plan.totals.events);
  const mean = (some: number[]) => some.reduce((sum, one) => sum + one, 0) / some.length;
  expect(mean(calls.weekend)).toBeLessThan(mean(calls.workday) / 2);
});

test('of a few customers and months is as varied as possible', () => {
  const few = planDemo({
    seed: 'few',
    customers: 12,
    calendar: Calendar.of({ until, months: 3 }),
  });
  expect(few.totals.customers).toBe(12);
  expect(few.days.length).toBeLessThan(92);
  expect(kindsOf(few).size).toBeGreaterThan(6);
});

test.each([
  ['2026-03-31T12:00:00Z', 1, '2026-02-28T08:50:00Z'],
  ['2024-02-29T00:00:00Z', 12, '2023-02-28T08:50:00Z'],
  ['2026-11-21T23:59:59Z', 13, '2025-10-21T08:50:00Z'],
])('until %s, %i months begin on %s', (ends, months, begins) => {
  expect(Calendar.of({ until: new Date(ends), months }).startsAt).toEqual(new Date(begins));
});
