import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import { changeDiscount, createDiscount } from './discount';
import { announcedDiscounts } from './events';

const service = 'discount';
const findings = { metadataProblems: [], productProblems: [] };
const discount = createDiscount(
  {
    ...{ name: 'Spring', code: 'SPRING-26', type: 'PERCENTAGE', value: '12.5' },
    ...{ duration: 'REPEATING', durationInMonths: 3, maxRedemptions: 100, productIds: [] },
    endsAt: new Date('2026-04-01T00:00:00.000Z'),
    metadata: { campaign: 'spring' },
  },
  { id: '0197a000-0000-7000-8000-000000000006', ...findings },
);
const ended = changeDiscount(discount, { active: false, maxRedemptions: null }, findings);
const counted = { type: 'discount.updated', data: { redemptionCount: 17 } };

test.each([
  ['created', { service, transition: { state: discount, events: [] } }],
  [
    'updated',
    {
      ...{ service, before: discount, sequence: 2, at: new Date('2026-02-01T00:00:00.000Z') },
      transition: { state: ended, events: [counted] },
    },
  ],
])('the event of discount-%s.json is announced as the file has it', (name, write) => {
  expect(announcedEvents(announcedDiscounts, write)).toEqual([exampleEvent(`discount-${name}`)]);
});

test('a new version without a change announces nothing', () => {
  const transition = { state: { ...discount }, events: [counted] };
  expect(announcedEvents(announcedDiscounts, { service, before: discount, transition })).toEqual(
    [],
  );
});
