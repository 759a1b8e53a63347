import fc from 'fast-check';
import {
  isTaxIdOf,
  TAX_ID_TYPES,
  type TaxId,
  taxIdOf,
  taxIdsProblems,
  type TaxIdType,
  taxIdTypeOf,
} from './tax-id';

function problemsOf(type: TaxIdType, value: string): string[] {
  return taxIdsProblems([{ type, value }]);
}

describe('a tax id', () => {
  test.each<[TaxIdType, ...string[]]>([
    ['EU_VAT', 'ATU13585627', 'ATU00000024', 'ATU00000033'],
    ['EU_VAT', 'BE0411905847', 'BE0414445663'],
    ['EU_VAT', 'BG0000100159', 'BG000670680', 'CY00376309R', 'CZ00008702', 'CZ699001237'],
    ['EU_VAT', 'DE136695976', 'DE111111125', 'DE113298780'],
    ['EU_VAT', 'DK10000009', 'DK10000025', 'EE100007796', 'EL094259216', 'EL000000048'],
    ['EU_VAT', 'ES00000001R', 'ESA0011012B', 'ESA08017535', 'ESX0000001R', 'ESB63104293'],
    ['EU_VAT', 'FI09853608', 'FI00000027', 'FR40303265045', 'FR00300076965', 'FRK7399859412'],
    ['EU_VAT', 'HR02574432339', 'HU10672101', 'IE0000002D', 'IE6388047V', 'IE8Z49289F'],
    ['EU_VAT', 'IE1234567FA', 'IT00743110157', 'IT00000010215', 'LT100000009017', 'LU10000356'],
    ['EU_VAT', 'LV40003009497', 'MT10126313', 'NL010000446B01', 'PL1132191233', 'PL8567346215'],
    ['EU_VAT', 'PT100000010', 'PT100000029', 'RO19', 'RO11198699', 'SE000000002601'],
    ['EU_VAT', 'SI10693661', 'SI10830316', 'SK1025529197'],
    ['GB_VAT', 'GB980780684', 'GB802311782', 'GB980780684001'],
    ['CH_VAT', 'CHE107787577IVA', 'CHE107787577MWST', 'CHE107787577TVA'],
    ['NO_VAT', 'NO995525828MVA', '995525828MVA'],
    ['OTHER', '12-3456789', 'anything'],
  ])('of type %s is accepted: %s %s %s %s %s', (type, ...values) => {
    expect(values.map((value) => [value, problemsOf(type, value)])).toEqual(
      values.map((value) => [value, []]),
    );
  });

  test.each<[TaxIdType, value: string, name: string]>([
    ['EU_VAT', 'DE136695978', 'EU VAT id'],
    ['EU_VAT', 'ATU13585626', 'EU VAT id'],
    ['EU_VAT', 'IT00743110158', 'EU VAT id'],
    ['EU_VAT', 'PL8567346216', 'EU VAT id'],
    ['EU_VAT', 'FR41303265045', 'EU VAT id'],
    ['EU_VAT', 'IE0000002E', 'EU VAT id'],
    ['EU_VAT', 'ES00000001T', 'EU VAT id'],
    ['EU_VAT', 'ESA08017536', 'EU VAT id'],
    ['EU_VAT', 'NL010000447B01', 'EU VAT id'],
    ['EU_VAT', 'BE0411905848', 'EU VAT id'],
    ['EU_VAT', 'DK10000010', 'EU VAT id'],
    ['EU_VAT', 'EL094259217', 'EU VAT id'],
    ['EU_VAT', 'FI09853609', 'EU VAT id'],
    ['EU_VAT', 'LU10000357', 'EU VAT id'],
    ['EU_VAT', 'PT100000011', 'EU VAT id'],
    ['EU_VAT', 'SE000000002701', 'EU VAT id'],
    ['EU_VAT', 'SI10693662', 'EU VAT id'],
    ['EU_VAT', 'GR094259216', 'EU VAT id'],
    ['EU_VAT', 'GB980780684', 'EU VAT id'],
    ['EU_VAT', '136695976', 'EU VAT id'],
    ['EU_VAT', '', 'EU VAT id'],
    ['GB_VAT', 'GB802311781', 'GB VAT id'],
    ['GB_VAT', '980780684', 'GB VAT id'],
    ['CH_VAT', 'CHE107787578MWST', 'CH VAT id'],
    ['CH_VAT', 'CHE107787577', 'CH VAT id'],
    ['NO_VAT', 'NO995525829MVA', 'NO VAT id'],
    ['NO_VAT', 'NO995525828', 'NO VAT id'],
  ])('of type %s is refused: %s', (type, value, name) => {
    expect(problemsOf(type, value)).toEqual([`0.value: Invalid ${name}`]);
  });

  test('of another kind has 1 to 40 characters', () => {
    expect(problemsOf('OTHER', ' - ')).toEqual(['0.value: Must have 1 to 40 characters']);
    expect(problemsOf('OTHER', 'x'.repeat(40))).toEqual([]);
    expect(problemsOf('OTHER', 'x'.repeat(41))).toEqual(['0.value: Must have 1 to 40 characters']);
  });

  test('is stored in upper case without separators, in Norway with its prefix', () => {
    const stored = (type: TaxIdType, value: string) => taxIdOf({ type, value }).value;
    expect(stored('EU_VAT', 'de 136.695-976')).toBe('DE136695976');
    expect(stored('CH_VAT', 'che-107.787.577 iva')).toBe('CHE107787577IVA');
    expect(stored('NO_VAT', '995 525 828 mva')).toBe('NO995525828MVA');
    expect(stored('NO_VAT', 'no995525828mva')).toBe('NO995525828MVA');
  });

  test('is refused if it repeats an earlier one in another notation', () => {
    const taxIds: TaxId[] = [
      { type: 'EU_VAT', value: 'DE136695976' },
      { type: 'EU_VAT', value: 'de 136 695 976' },
      { type: 'OTHER', value: 'DE136695976' },
    ];
    expect(taxIdsProblems(taxIds)).toEqual(['1.value: Repeated tax id']);
  });

  test('is one of at most 5', () => {
    const taxIds = Array.from({ length: 6 }, (_, index) => ({
      type: 'OTHER' as const,
      value: String(index),
    }));
    expect(taxIdsProblems(taxIds.slice(1))).toEqual([]);
    expect(taxIdsProblems(taxIds)).toEqual(['Must have at most 5 elements']);
  });

  test('of any text is checked without an error, and is stored in one form', () => {
    const anyType = fc.constantFrom(...TAX_ID_TYPES);
    const prefix = fc.constantFrom('', 'DE', 'ES', 'FR', 'IE', 'NL', 'GB', 'CHE', 'NO', 'ATU');
    const anyText = fc.oneof(
      fc.string(),
      fc.tuple(prefix, fc.stringMatching(/^[A-Z0-9 .+*-]{0,16}$/u)).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(anyType, anyText, (type, value) => {
        expect(problemsOf(type, value).length).toBeLessThanOrEqual(1);
        const stored = taxIdOf({ type, value });
        expect(taxIdOf(stored)).toEqual(stored);
      }),
    );
  });
});

test('one wrong digit of a German VAT id is found', () => {
  const anyDigit = fc.integer({ min: 0, max: 9 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), anyDigit, (place, digit) => {
      const digits = Array.from('136695976');
      fc.pre(digits[place] !== String(digit));
      digits[place] = String(digit);
      expect(problemsOf('EU_VAT', `DE${digits.join('')}`)).not.toEqual([]);
    }),
  );
});

test.each<[country: string, type: TaxIdType, value: string, isOfCountry: boolean]>([
  ['FR', 'EU_VAT', 'FR40303265045', true],
  ['FR', 'EU_VAT', 'IT00743110157', false],
  ['GR', 'EU_VAT', 'EL094259216', true],
  ['GB', 'GB_VAT', 'GB980780684', true],
  ['CH', 'CH_VAT', 'CHE107787577IVA', true],
  ['NO', 'NO_VAT', 'NO995525828MVA', true],
  ['US', 'OTHER', '12-3456789', true],
  ['FR', 'OTHER', '12', false],
])(
  'a country %s has tax ids of the type %s; %s is one: %s',
  (country, type, value, isOfCountry) => {
    expect(isTaxIdOf({ type, value }, country)).toBe(isOfCountry);
    if (isOfCountry) expect(taxIdTypeOf(country)).toBe(type);
  },
);

test.each(['XX', 'constructor', 'toString', '__proto__'])(
  'the unknown country %s has tax ids that are not checked',
  (country) => {
    expect(taxIdTypeOf(country)).toBe('OTHER');
  },
);
