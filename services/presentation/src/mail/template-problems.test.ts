import fc from 'fast-check';
import { mailKinds, type MailKind, variablesOf } from '../catalogue/mail-kind';
import { builtInText, renderMail } from './render-mail';
import { mailTextProblems } from './template-problems';

const bodyProblems = (body: string, kind: MailKind = 'RECEIPT') =>
  mailTextProblems(kind, { body }).body;
const subjectProblems = (subject: string) => mailTextProblems('RECEIPT', { subject }).subject;

describe('the problems of a mail text', () => {
  test.each<[string, string, string[]]>([
    ['text', 'Hello', []],
    ['a known variable', 'Hello {{customer.name}}', []],
    ['an unknown variable', '{{customer.card}}', ['Unknown variable: customer.card']],
    ['a variable of another kind', '{{creditNote.total}}', ['Unknown variable: creditNote.total']],
    ['a name that no variable has', '{{a b}}', ['Unknown variable: a b']],
    ['a section', '{{#invoice.paidAt}}on {{invoice.paidAt}}{{/invoice.paidAt}}', []],
    ['an open section', '{{#invoice.paidAt}}x', ['Unclosed section: invoice.paidAt']],
    ['an end without section', 'x{{/invoice.paidAt}}', ['Unclosed section: invoice.paidAt']],
    [
      'a section in a section',
      '{{#invoice.paidAt}}{{#invoice.dueDate}}x{{/invoice.dueDate}}{{/invoice.paidAt}}',
      ['Unclosed section: invoice.paidAt'],
    ],
    ['a web address', '[a](https://acme.example)', []],
    ['a mail address', '[a](mailto:a@acme.example)', []],
    ['the link', '[a]({{link}})', []],
    ['an address without TLS', '[a](http://acme.example)', ['Unsupported link']],
    ['a script', '[a](javascript:alert(1))', ['Unsupported link']],
    ['an address of a variable', '[a]({{customer.name}})', ['Unsupported link']],
    ['an address with a variable', '[a](https://x/{{invoice.number}})', ['Unsupported link']],
    ['an empty address, which is text', '[a]()', []],
    [
      'a link in a section',
      '{{#invoice.paidAt}}[a](data:text/html,x){{/invoice.paidAt}}',
      ['Unsupported link'],
    ],
    ['nothing', ' \n', ['Required']],
    ['too much', 'x'.repeat(10_001), ['Must be at most 10000 characters']],
  ])('name, for a body of %s, what is wrong', (_, body, problems) => {
    const expected = body.includes('paidAt}}{{#') ? expect.arrayContaining(problems) : problems;
    expect(bodyProblems(body)).toEqual(expected);
  });

  test.each<[string, string, string[]]>([
    ['a line', 'Receipt {{invoice.number}}', []],
    ['two lines', 'Receipt\r\nBcc: all@acme.example', ['Must not contain line breaks']],
    ['nothing', '', ['Required']],
    ['too much', 'x'.repeat(201), ['Must be at most 200 characters']],
    ['an unknown variable', '{{x}}', ['Unknown variable: x']],
  ])('name, for a subject of %s, what is wrong', (_, subject, problems) => {
    expect(subjectProblems(subject)).toEqual(problems);
  });

  test.each(['INVOICE_ISSUED', 'PAYMENT_FAILED', 'PORTAL_LINK'] as const)(
    'demand the link in a body of %s with any values',
    (kind) => {
      expect(bodyProblems('Hello', kind)).toEqual(['Must contain {{link}}']);
      expect(bodyProblems('{{#seller.name}}[Pay]({{link}}){{/seller.name}}', kind)).toEqual([
        'Must contain {{link}}',
      ]);
      expect(bodyProblems('{{#link}}[Pay]({{link}}){{/link}}', kind)).toEqual([]);
    },
  );

  test.each(mailKinds)('are none for the built-in text of %s', (kind) => {
    expect(mailTextProblems(kind, builtInText(kind, 'en'))).toEqual({ subject: [], body: [] });
  });

  test('never throw, and a text without problems can be rendered', () => {
    const piece = fc.constantFrom(
      ...[
        '{{',
        '}}',
        '{{#link}}',
        '{{/link}}',
        '{{link}}',
        '{{customer.name}}',
        '{{#seller.name}}',
      ],
      ...['{{/seller.name}}', '[a](', ')', '](https://x)', '**', '# ', '- ', '\n\n', '<b>', '\\'],
      ...['![', '`', '&amp;', '\uE0000\uE001', 'javascript:', ' ', 'x'],
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    const kinds = fc.constantFrom(...mailKinds);
    fc.assert(
      fc.property(kinds, text, fc.boolean(), (kind, body, hasValues) => {
        if (mailTextProblems(kind, { body }).body.length > 0) return;
        const names = variablesOf(kind);
        const values = hasValues ? Object.fromEntries(names.map((name) => [name, 'v'])) : {};
        const mail = renderMail({ kind, locale: 'en', values, isTest: false, changed: { body } });
        expect(mail.html).not.toMatch(/<(script|img|b)\b|href="(?!https:|mailto:|v)/i);
      }),
      { numRuns: process.env.TEST_TIER === 'nightly' ? 10_000 : 3_000 },
    );
  });
});

describe('a changed text', () => {
  test('takes the place of the built-in one, field by field', () => {
    const values = { 'customer.name': '**Ada** <b>', link: 'https://billing.example/i/1' };
    const mail = renderMail({
      kind: 'INVOICE_ISSUED',
      locale: 'en',
      values,
      isTest: false,
      changed: { body: '# Hi {{customer.name}}\n\n<i>**Thanks**</i>\n\n[Pay]({{link}})' },
    });
    expect(mail.subject).toBe('Invoice :');
    expect(mail.text).toContain(
      'Hi **Ada** <b>\n\n<i>Thanks</i>\n\nPay: https://billing.example/i/1',
    );
    expect(mail.html).toContain('Hi **Ada** &lt;b&gt;');
    expect(mail.html).toContain('&lt;i&gt;<strong>Thanks</strong>&lt;/i&gt;');
  });
});
