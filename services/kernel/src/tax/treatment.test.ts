import type { TaxId } from './tax-id';
import { taxEvidenceOf, type TaxExempt, treatmentOf } from './treatment';

const at = new Date('2026-03-01T00:00:00Z');

function decide({
  home = 'DE',
  registrations,
  country,
  taxIds = [],
  taxExempt = 'NONE',
}: {
  home?: string;
  registrations: readonly string[];
  country: string | null;
  taxIds?: readonly TaxId[];
  taxExempt?: TaxExempt;
}) {
  const treatment = treatmentOf({
    seller: { country: home, state: null, registrations },
    buyer: { address: { country, state: null }, taxIds },
    taxExempt,
  });
  return treatment.kind === 'TAXED' ? treatment.place.country : treatment.kind;
}

const eu = (value: string): TaxId => ({ type: 'EU_VAT', value });
const everywhere = ['DE', 'EU'];

test.each<[name: string, Parameters<typeof decide>[0], outcome: string]>([
  ['no country', { registrations: everywhere, country: null }, 'DE'],
  ['FR', { registrations: everywhere, country: 'FR' }, 'FR'],
  [
    'FR with FR40303265045',
    { registrations: everywhere, country: 'FR', taxIds: [eu('FR40303265045')] },
    'REVERSE_CHARGE',
  ],
  [
    'FR with IT00743110157',
    { registrations: everywhere, country: 'FR', taxIds: [eu('IT00743110157')] },
    'FR',
  ],
  [
    'GR with EL094259216',
    { registrations: everywhere, country: 'GR', taxIds: [eu('EL094259216')] },
    'REVERSE_CHARGE',
  ],
  [
    'DE with DE136695976',
    { registrations: everywhere, country: 'DE', taxIds: [eu('DE136695976')] },
    'DE',
  ],
  ['CH', { registrations: everywhere, country: 'CH' }, 'OUT_OF_SCOPE'],
  ['US', { registrations: everywhere, country: 'US' }, 'OUT_OF_SCOPE'],
  ['GB', { registrations: everywhere, country: 'GB' }, 'OUT_OF_SCOPE'],
  [
    'GB with GB980780684',
    {
      registrations: everywhere,
      country: 'GB',
      taxIds: [{ type: 'GB_VAT', value: 'GB980780684' }],
    },
    'REVERSE_CHARGE',
  ],
  [
    'NO with a tax id of its own',
    {
      registrations: everywhere,
      country: 'NO',
      taxIds: [{ type: 'NO_VAT', value: 'NO995525828MVA' }],
    },
    'REVERSE_CHARGE',
  ],
  ['FR, registered in DE only', { registrations: ['DE'], country: 'FR' }, 'DE'],
  [
    'CH with CHE107787577IVA, registered there',
    {
      registrations: ['DE', 'EU', 'CH'],
      country: 'CH',
      taxIds: [{ type: 'CH_VAT', value: 'CHE107787577IVA' }],
    },
    'CH',
  ],
  [
    'DE with a tax id, seller CH',
    { home: 'CH', registrations: ['CH'], country: 'DE', taxIds: [eu('DE136695976')] },
    'REVERSE_CHARGE',
  ],
  ['DE, seller CH', { home: 'CH', registrations: ['CH'], country: 'DE' }, 'OUT_OF_SCOPE'],
  [
    'DE, seller CH in the one-stop shop',
    { home: 'CH', registrations: ['CH', 'EU'], country: 'DE' },
    'DE',
  ],
  [
    'an exempt customer at home',
    { registrations: everywhere, country: 'DE', taxExempt: 'EXEMPT' },
    'EXEMPT',
  ],
  [
    'a customer with reverse charge and without a tax id',
    { registrations: everywhere, country: 'US', taxExempt: 'REVERSE' },
    'REVERSE_CHARGE',
  ],
])('treatment: %s', (_name, given, outcome) => {
  expect(decide(given)).toBe(outcome);
});

describe('the evidence of a place', () => {
  const seller = { country: 'DE', state: null, registrations: ['DE'] };

  test.each([
    [{ country: 'DE', state: null }, 'DE'],
    [{ country: 'US', state: ' ca' }, 'US-CA'],
    [{ country: 'DE', state: 'Bavaria' }, 'DE'],
  ])('is the address %j', (address, value) => {
    const buyer = { address, taxIds: [] };
    expect(taxEvidenceOf({ seller, buyer }, at)).toEqual([{ kind: 'ADDRESS', value, at }]);
  });

  test('is the tax id of the country and the country of the card', () => {
    const buyer = {
      address: { country: 'FR', state: null },
      taxIds: [eu('IT00743110157'), eu('FR40303265045')],
      cardCountry: 'BE',
    };
    expect(taxEvidenceOf({ seller, buyer }, at)).toEqual([
      { kind: 'ADDRESS', value: 'FR', at },
      { kind: 'TAX_ID', value: 'FR40303265045', at },
      { kind: 'CARD_COUNTRY', value: 'BE', at },
    ]);
  });

  test('is the country of the seller where the address has none', () => {
    const buyer = { address: { country: null, state: 'CA' }, taxIds: [] };
    expect(taxEvidenceOf({ seller, buyer }, at)).toEqual([{ kind: 'DEFAULT', value: 'DE', at }]);
  });
});
