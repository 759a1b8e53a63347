import { readTaxIds, withTaxIdProblems } from './tax-id-fields';

test.each([
  ['of the country of the address', { country: 'CH', taxId: 'CHE-123.456.788 MWST' }, 'CH_VAT'],
  ['of another member of the EU', { country: 'DE', taxId: 'fr 40303265045' }, 'EU_VAT'],
  ['without an address', { country: '', taxId: 'DE136695976' }, 'EU_VAT'],
  ['without an address, of Greece', { country: '', taxId: 'EL094259216' }, 'EU_VAT'],
  ['of a country without rules', { country: 'US', taxId: '12-3456789' }, 'OTHER'],
])('a new id %s gets its kind', (_case, typed, type) => {
  expect(readTaxIds(typed, [])).toMatchObject([{ type }]);
});

test('a known id keeps its kind, and an empty field has none', () => {
  const known = [{ type: 'OTHER', value: 'DE136695976' }] as const;
  const typed = { country: 'DE', taxId: 'DE 136695976', taxId2: '', taxId3: 'FR40303265045' };
  expect(readTaxIds(typed, known)).toEqual([...known, { type: 'EU_VAT', value: 'FR40303265045' }]);
});

test('a problem moves to the field of its id, past empty ones', () => {
  const typed = { taxId: '', taxId2: 'DE1' };
  const refused = { name: ['Required'], taxIds: ['0.value: Invalid EU VAT id'] };
  expect(withTaxIdProblems(refused, typed)).toEqual({
    name: ['Required'],
    taxId2: ['Invalid EU VAT id'],
  });
});
