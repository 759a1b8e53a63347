import { taxesFollowTheirRates } from './taxes';
import { whole } from './testing';
import { taxed } from './violations/tax-violations';

test('taxes that are rounded once for a row are no violation', () => {
  const examination = taxesFollowTheirRates.examine({ ...whole, ...taxed({}) });
  expect(examination).toEqual({ examined: 2, findings: [] });
});
