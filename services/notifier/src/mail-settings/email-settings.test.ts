import {
  attachesPdfNow,
  changeEmailSettings,
  defaultEmailSettings,
  type EmailSettingsChanges,
} from './email-settings';

const none = defaultEmailSettings('environment');
const domains = ['acme.example'];

const change = (changes: Partial<EmailSettingsChanges>, allowed: string[] | undefined = domains) =>
  changeEmailSettings(none, { kinds: [], pdfs: [], ...changes }, allowed).state;

const problemsOf = (changes: Partial<EmailSettingsChanges>) => {
  try {
    change(changes);
    return {};
  } catch (error) {
    return (error as { fields: Record<string, string[]> }).fields;
  }
};

describe('email settings', () => {
  test('keep what is not sent, trim texts and clear by null', () => {
    const set = change({ fromName: ' Acme ', fromAddress: 'billing@ACME.example' });
    expect(set).toEqual({ ...none, fromName: 'Acme', fromAddress: 'billing@ACME.example' });
    const cleared = changeEmailSettings(
      set,
      { kinds: [], pdfs: [], fromName: null },
      domains,
    ).state;
    expect(cleared).toEqual({ ...none, fromAddress: 'billing@ACME.example' });
  });

  test('switch kinds off and on, one by one', () => {
    const off = change({
      kinds: [
        { kind: 'RECEIPT', enabled: false },
        { kind: 'CARD_EXPIRING', enabled: false },
      ],
    });
    expect(off.disabledKinds).toEqual(['CARD_EXPIRING', 'RECEIPT']);
    const kinds = [{ kind: 'CARD_EXPIRING', enabled: true }] as const;
    expect(changeEmailSettings(off, { kinds, pdfs: [] }, domains).state.disabledKinds).toEqual([
      'RECEIPT',
    ]);
  });

  test('leave out the PDF of kinds that may have one, and attach it again', () => {
    const without = change({ pdfs: [{ kind: 'RECEIPT', attached: false }] });
    expect(without).toEqual({ ...none, kindsWithoutPdf: ['RECEIPT'] });
    expect(attachesPdfNow(without, 'RECEIPT')).toBe(false);
    expect(attachesPdfNow(without, 'CREDIT_NOTE_ISSUED')).toBe(true);
    expect(attachesPdfNow(none, 'PAYMENT_FAILED')).toBe(false);
    const pdfs = [{ kind: 'RECEIPT', attached: true }] as const;
    expect(changeEmailSettings(without, { kinds: [], pdfs }, domains).state).toEqual(none);
  });

  test('without a difference are the same', () => {
    expect(change({ fromName: null, kinds: [{ kind: 'RECEIPT', enabled: true }] })).toBe(none);
  });

  test.each<[string, Partial<EmailSettingsChanges>, Record<string, string[]>]>([
    [
      'a long name',
      { fromName: 'x'.repeat(101) },
      { fromName: ['Must be at most 100 characters'] },
    ],
    ['two lines', { fromName: 'a\nb' }, { fromName: ['Must not contain control characters'] }],
    ['no address', { fromAddress: 'acme' }, { fromAddress: ['Invalid email'] }],
    [
      'another domain',
      { fromAddress: 'a@evil.example' },
      { fromAddress: ['Domain is not allowed'] },
    ],
    [
      'a subdomain',
      { fromAddress: 'a@x.acme.example' },
      { fromAddress: ['Domain is not allowed'] },
    ],
    [
      'the PDF of a kind that has none',
      { pdfs: [{ kind: 'PAYMENT_FAILED', attached: false }] },
      { kinds: ['No PDF for PAYMENT_FAILED'] },
    ],
    ['a bad reply address', { replyTo: 'a@b c' }, { replyTo: ['Invalid email'] }],
  ])('refuse %s', (_, changes, problems) => {
    expect(problemsOf(changes)).toEqual(problems);
  });

  test('of a sandbox may name any domain', () => {
    const { fromAddress } = changeEmailSettings(
      none,
      { kinds: [], pdfs: [], fromAddress: 'a@any.example' },
      undefined,
    ).state;
    expect(fromAddress).toBe('a@any.example');
  });
});
