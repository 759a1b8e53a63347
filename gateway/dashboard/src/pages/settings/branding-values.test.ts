import { FormValues } from '../../parts/form/form-values';
import { accentOf, typedBranding } from './branding-values';

test('an empty field of the branding is cleared', () => {
  const data = new FormData();
  data.set('displayName', 'Acme');
  data.set('termsUrl', '');
  data.set('accentColor', '#ffd400');
  data.set('defaultLocale', 'de');
  expect(typedBranding(new FormValues(data))).toEqual({
    ...{ displayName: 'Acme', accentColor: '#ffd400', defaultLocale: 'de' },
    ...{ supportEmail: null, supportUrl: null, termsUrl: null, privacyUrl: null },
  });
});

test.each([
  ['#ffd400', '#FFD400'],
  [' #2447C9 ', '#2447C9'],
  ['#ffd40', undefined],
  ['red', undefined],
])('the typed accent %j is %j', (typed, accent) => {
  expect(accentOf(typed)).toBe(accent);
});
