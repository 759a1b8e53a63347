import type { Session } from '@billing/proto/billing/checkout/v1/session';
import { say } from '@billing/documents/say';
import { postForm, type TextField, textField } from '../frame/form-fields';
import { type Html, html, local } from '../frame/html';
import type { Page } from '../frame/shell';

interface CodeView {
  readonly session: Session;
  readonly path: string;
}

// The security code of a card is the field `code`.
const code: TextField = {
  name: 'discountCode',
  label: say('session.discountCode'),
  autocomplete: 'off',
  lengthMax: 64,
};

/** Field for a discount code, or a button that removes a typed one; undefined if neither is due. */
export function codeForm(
  { session: { takesCode, codeTyped, discount }, path }: CodeView,
  wrong: string | undefined,
): Html | undefined {
  if (codeTyped === true) {
    return postForm({ path }, '/code/remove', [
      html`<p>${say('session.codeApplied', { discount: discount?.name ?? '' })}</p>`,
      html`<button type="submit" class="quiet">${say('session.removeCode')}</button>`,
    ]);
  }
  if (takesCode !== true) return wrong === undefined ? undefined : refusedCode;
  const problems = wrong === undefined ? {} : { [code.name]: [notValid] };
  return html`<details class="other unprinted" ${wrong !== undefined && html` open`}>
    <summary>${say('session.addCode')}</summary>
    ${postForm({ path }, '/code', [
      textField({ ...code, value: wrong ?? '' }, problems),
      html`<button type="submit" class="quiet">${say('session.applyCode')}</button>`,
    ])}
  </details>`;
}

/** Reads a typed code. */
export function readCode(form: ReadonlyMap<string, string>): string {
  return (form.get(code.name) ?? '').trim().slice(0, code.lengthMax);
}

/** Page that refuses a code because a payment runs. */
export function paymentRunningPage({
  path,
  ...page
}: Pick<Page, 'isTest' | 'locales'> & Pick<CodeView, 'path'>): Page {
  const title = say('session.paymentRunning');
  const content = html`<section>
    <h1>${title}</h1>
    <p><a class="button quiet" href="${local(path)}">${say('form.continue')}</a></p>
  </section>`;
  return { title, content, ...page };
}

const notValid = 'This code is not valid.';

// The last code that a session takes.
const refusedCode = html`<p class="error" role="alert">${say('problem.discountCode')}</p>`;
