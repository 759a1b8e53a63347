import { DomainError } from '@billing/kernel/domain-error';
import { addressOf } from '@billing/kernel/input/address';
import type { InvoiceBuyer } from './finalization';
import { type TypedBuyer, typedFacts, withTyped } from './typed-buyer';

const french = { type: 'EU_VAT', value: 'FR40303265045' } as const;

function aBuyer(facts: Partial<InvoiceBuyer> = {}): InvoiceBuyer {
  const none = { name: null, phone: null, address: null, taxIds: [], buyerReference: null };
  return { ...none, email: 'bob@example.com', ...facts };
}

function problemsOf(buyer: InvoiceBuyer, typed: TypedBuyer): unknown {
  try {
    withTyped(buyer, typed);
  } catch (error) {
    if (error instanceof DomainError) return error.fields;
    throw error;
  }
  return {};
}

test('what a payer typed fills a buyer of whom nothing is known', () => {
  const typed = { country: 'FR', state: 'Bretagne', name: 'Bob', taxId: 'fr 40 303-265-045' };
  const buyer = withTyped(aBuyer(), typed);
  expect(buyer).toEqual(
    aBuyer({
      ...{ name: 'Bob', taxIds: [french] },
      address: addressOf({ country: 'FR', state: 'Bretagne' }),
    }),
  );
  expect(typedFacts(aBuyer(), buyer)).toEqual({
    ...{ country: 'FR', state: 'Bretagne', name: 'Bob', taxId: french },
  });
  expect(typedFacts(buyer, buyer)).toEqual({});
});

test('a known country, name and tax id stay', () => {
  const known = aBuyer({
    ...{ name: 'Ada', taxIds: [french] },
    address: addressOf({ country: 'FR', city: 'Brest' }),
  });
  const typed = { country: 'DE', state: 'Berlin', name: 'Bob', taxId: 'DE136695976' };
  expect(withTyped(known, typed)).toEqual(known);
});

test.each([
  ['DE', 'DE136695976', 'EU_VAT', 'DE136695976'],
  ['FR', 'IT00743110157', 'EU_VAT', 'IT00743110157'],
  ['GB', 'GB 980780684', 'GB_VAT', 'GB980780684'],
  ['CH', 'CHE-107.787.577 IVA', 'CH_VAT', 'CHE107787577IVA'],
  ['NO', '995525828 MVA', 'NO_VAT', 'NO995525828MVA'],
  ['US', '12-3456789', 'OTHER', '123456789'],
])('in %s the tax id %s has the type %s', (country, taxId, type, value) => {
  expect(withTyped(aBuyer(), { country, taxId }).taxIds).toEqual([{ type, value }]);
});

test.each<[TypedBuyer, object]>([
  [{}, { country: ['Required'] }],
  [{ name: 'Bob', taxId: 'FR40303265045' }, { country: ['Required'] }],
  [{ country: 'XX' }, { country: ['Invalid country'] }],
  [{ country: 'constructor', taxId: 'x' }, { country: ['Invalid country'] }],
  [{ country: 'FR', taxId: 'FR1' }, { taxId: ['Invalid EU VAT id'] }],
  [{ country: 'GB', taxId: 'GB802311781' }, { taxId: ['Invalid GB VAT id'] }],
  [{ country: 'US', taxId: '9'.repeat(41) }, { taxId: ['Must have 1 to 40 characters'] }],
  [
    { country: 'FR', state: 's'.repeat(201), name: 'n'.repeat(201) },
    {
      state: ['Must be at most 200 characters'],
      name: ['Must be at most 200 characters'],
    },
  ],
])('%j is refused under its fields', (typed, problems) => {
  expect(problemsOf(aBuyer(), typed)).toEqual(problems);
});

test('a sixth tax id is refused', () => {
  const taxIds = Array.from({ length: 5 }, (_, index) => ({
    ...{ type: 'OTHER', value: String(index) },
  })) as InvoiceBuyer['taxIds'];
  const typed = { country: 'FR', taxId: 'FR40303265045' };
  expect(problemsOf(aBuyer({ taxIds }), typed)).toEqual({
    taxId: ['Must have at most 5 elements'],
  });
});
