import { changePortalSettings, defaultSettings, type PortalSettings } from './portal-settings';

const now = new Date('2026-03-01T00:00:00Z');
const none = defaultSettings('environment');

const change = (
  settings: PortalSettings,
  changes: Parameters<typeof changePortalSettings>[1],
  expectedVersion?: number,
) => changePortalSettings(settings, changes, { expectedVersion, now }).state;

describe('the portal settings', () => {
  test('let customers change nothing before the first change', () => {
    expect(none).toMatchObject({ products: [], quantity: false, settingsVersion: 0 });
  });

  test('keep fields that are absent, and name each product once', () => {
    const first = change(none, { products: ['a', 'b', 'a'] });
    expect(first).toMatchObject({ products: ['a', 'b'], quantity: false, settingsVersion: 1 });
    expect(change(first, { quantity: true })).toEqual({
      ...first,
      quantity: true,
      settingsVersion: 2,
      settingsUpdatedAt: now,
    });
  });

  test('stay the same object without a change', () => {
    const first = change(none, { products: ['a'], quantity: true });
    expect(change(first, { products: ['a', 'a'], quantity: true })).toBe(first);
  });

  test('are refused with more than 20 products, and for another version', () => {
    const products = Array.from({ length: 21 }, (_, index) => String(index));
    expect(() => change(none, { products })).toThrow(
      expect.objectContaining({ fields: { products: ['Must have at most 20 elements'] } }),
    );
    expect(change(none, { products: products.slice(1) }).products).toHaveLength(20);
    expect(() => change(none, { quantity: true }, 1)).toThrow('Stale version');
    expect(change(none, { quantity: true }, 0).quantity).toBe(true);
  });
});
