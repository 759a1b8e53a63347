import { DomainError } from '@billing/kernel/domain-error';
import { type BrandingChanges, changeBranding, defaultBranding } from './branding';

const none = defaultBranding('environment');
const change = (changes: BrandingChanges) => changeBranding(none, changes).state;

function problemsOf(changes: BrandingChanges): unknown {
  try {
    change(changes);
  } catch (error) {
    if (error instanceof DomainError) return error.fields;
    throw error;
  }
  return {};
}

test('a branding stores its fields in one form', () => {
  expect(
    change({
      displayName: '  Acme ',
      accentColor: '#ffd400',
      supportEmail: ' help@acme.example ',
      termsUrl: 'https://acme.example/terms',
      defaultLocale: 'de-ch',
    }),
  ).toEqual({
    ...none,
    displayName: 'Acme',
    accentColor: '#FFD400',
    supportEmail: 'help@acme.example',
    termsUrl: 'https://acme.example/terms',
    defaultLocale: 'de-CH',
  });
});

test('a branding is unchanged by the values that it has', () => {
  const same = { accentColor: '#2447c9', displayName: null };
  expect(changeBranding(none, same).state).toBe(none);
});

test.each<[BrandingChanges, string, string]>([
  [{ displayName: ' ' }, 'displayName', 'Required'],
  [{ displayName: 'x'.repeat(101) }, 'displayName', 'Must be at most 100 characters'],
  [{ displayName: 'a\nb' }, 'displayName', 'Must not contain line breaks'],
  [{ accentColor: 'red' }, 'accentColor', 'Must be a colour such as #2447C9'],
  [{ accentColor: '#12345' }, 'accentColor', 'Must be a colour such as #2447C9'],
  [{ accentColor: null }, 'accentColor', 'Required'],
  [{ defaultLocale: 'sv' }, 'defaultLocale', 'Unsupported locale'],
  [{ defaultLocale: 'zh-TW' }, 'defaultLocale', 'Unsupported locale'],
  [{ defaultLocale: null }, 'defaultLocale', 'Required'],
  [{ supportEmail: 'x' }, 'supportEmail', 'Invalid email'],
  [{ termsUrl: '/terms' }, 'termsUrl', 'Must be an absolute http or https URL'],
  [{ supportUrl: 'https://a:b@c.example' }, 'supportUrl', 'Must not contain user information'],
])('a branding with %j is refused', (changes, field, problem) => {
  expect(problemsOf(changes)).toEqual({ [field]: [problem] });
});
