/** Rate of a country from a day on. */
interface ShippedRow {
  /** Percent as a decimal string without trailing zeros. */
  readonly percent: string;
  /** First day (UTC), `2024-01-01`; undefined: always. */
  readonly validFrom?: string;
}

/** Standard rates of a country, the oldest first, with their origin. */
export interface ShippedRates {
  readonly country: string;
  readonly rows: readonly [ShippedRow, ...ShippedRow[]];
  /** Official publication to compare the rows with. */
  readonly source: string;
  /** Day on which a person compared the rows with the source; null: not yet. */
  readonly checkedOn: string | null;
}

const europeanCommission =
  'European Commission, Taxes in Europe Database, https://ec.europa.eu/taxation_customs/tedb/';

/** Rates of the European Union, Switzerland, Norway and the United Kingdom. */
export const SHIPPED_RATES: readonly ShippedRates[] = [
  inEu('AT', '20'),
  inEu('BE', '21'),
  inEu('BG', '20'),
  elsewhere('CH', 'Swiss Federal Tax Administration, https://www.estv.admin.ch/', [
    { percent: '7.7' },
    { percent: '8.1', validFrom: '2024-01-01' },
  ]),
  inEu('CY', '19'),
  inEu('CZ', '21'),
  inEu('DE', '19'),
  inEu('DK', '25'),
  inEu('EE', '20', ['22', '2024-01-01'], ['24', '2025-07-01']),
  inEu('ES', '21'),
  inEu('FI', '24', ['25.5', '2024-09-01']),
  inEu('FR', '20'),
  elsewhere('GB', 'HM Revenue & Customs, https://www.gov.uk/vat-rates', [{ percent: '20' }]),
  inEu('GR', '24'),
  inEu('HR', '25'),
  inEu('HU', '27'),
  inEu('IE', '23'),
  inEu('IT', '22'),
  inEu('LT', '21'),
  inEu('LU', '16', ['17', '2024-01-01']),
  inEu('LV', '21'),
  inEu('MT', '18'),
  inEu('NL', '21'),
  elsewhere('NO', 'Norwegian Tax Administration, https://www.skatteetaten.no/', [
    { percent: '25' },
  ]),
  inEu('PL', '23'),
  inEu('PT', '23'),
  inEu('RO', '19', ['21', '2025-08-01']),
  inEu('SE', '25'),
  inEu('SI', '22'),
  inEu('SK', '20', ['23', '2025-01-01']),
];

function inEu(
  country: string,
  first: string,
  ...later: readonly (readonly [percent: string, validFrom: string])[]
): ShippedRates {
  const rows = later.map(([percent, validFrom]) => ({ percent, validFrom }));
  return elsewhere(country, europeanCommission, [{ percent: first }, ...rows]);
}

function elsewhere(country: string, source: string, rows: ShippedRates['rows']): ShippedRates {
  return { country, rows, source, checkedOn: null };
}
