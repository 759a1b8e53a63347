import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import { changeCheckoutLink, createCheckoutLink } from './checkout-link';
import { announcedLinks } from './events';

const service = 'checkout';
const fine = { metadataProblems: [] };
const definition = announcedLinks({ urlOf: ({ kind }) => `https://pay.example/${kind}` });
const created = createCheckoutLink(
  {
    id: '0197a000-0000-7000-8000-000000000008',
    label: 'Shop',
    productIds: ['0197a000-0000-7000-8000-000000000005'],
    successUrl: 'https://shop.example/thanks',
    returnUrl: undefined,
    active: true,
    discountId: undefined,
    allowDiscountCodes: false,
    metadata: { page: 'home' },
    quantity: { min: 1, max: 10 },
    collect: ['NAME'],
  },
  fine,
);
const { state: link } = created;
const later = { service, before: link, sequence: 2, at: new Date('2026-02-01T00:00:00.000Z') };

test.each([
  ['created', { service, transition: created }],
  [
    'updated',
    { ...later, transition: changeCheckoutLink(link, { active: false, quantity: null }, fine) },
  ],
])('the event of checkout-link-%s.json is announced as the file has it', (name, write) => {
  expect(announcedEvents(definition, write)).toEqual([exampleEvent(`checkout-link-${name}`)]);
});

test('a change that changes nothing announces nothing', () => {
  const transition = changeCheckoutLink(link, { label: 'Shop' }, fine);
  expect(announcedEvents(definition, { ...later, transition })).toEqual([]);
});
