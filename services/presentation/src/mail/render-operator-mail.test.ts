import { renderOperatorMail } from './render-operator-mail';

describe('a mail to an operator', () => {
  test('that tests the settings names the seller, in text and HTML', () => {
    const { subject, text, html } = renderOperatorMail('TEST', { 'seller.name': 'Acme & Sons' });
    expect(subject).toBe('Test email from Acme & Sons');
    expect(text).toBe(`Test email

The mail server accepts emails from this sender. Customers get their emails from it.

--

Acme & Sons sends this email automatically.
`);
    expect(html).toContain('<title>Test email from Acme &amp; Sons</title>');
  });

  test('names no seller where there is none', () => {
    expect(renderOperatorMail('TEST', {}).subject).toBe('Test email');
  });
});
