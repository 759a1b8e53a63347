import { type FormPlace, postForm } from '../frame/form-fields';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { html, local } from '../frame/html';
import type { Page } from '../frame/shell';

/** Context of a page during a payment. */
interface Waiting extends FormPlace, Pick<Page, 'locales'> {
  readonly isTest: boolean;
  readonly formTargets?: readonly (string | undefined)[];
}

/**
 * Page that asks the payer to confirm a payment: a simulated challenge in a sandbox, otherwise a
 * link to the bank.
 */
export function challengePage(
  waiting: Waiting,
  {
    attempt,
    isOurs,
    amount,
  }: {
    attempt: number;
    isOurs: boolean;
    /** Undefined if nothing is charged and the card is only saved. */
    amount: Text | undefined;
  },
): Page {
  const { path, isTest, locales, formTargets = [] } = waiting;
  const title = say(amount === undefined ? 'challenge.cardTitle' : 'challenge.paymentTitle');
  const content = html`<section>
    <h1>${title}</h1>
    <p>${amount === undefined ? say('challenge.card') : say('challenge.payment', { amount })}</p>
    ${isOurs && html`<p class="hint">${say('challenge.testMode')}</p>`}
    ${postForm(waiting, '/challenge', [
      html`<input type="hidden" name="attempt" value="${String(attempt)}" />`,
      isOurs ? answers : html`<button type="submit">${say('challenge.toBank')}</button>`,
    ])}
    <p class="aside"><a href="${local(`${path}?card=other`)}">${say('card.useAnother')}</a></p>
  </section>`;
  return { title, content, isTest, formTargets, locales };
}

const answers = html`<button type="submit" name="answer" value="approve">
    ${say('challenge.approve')}
  </button>
  <button type="submit" name="answer" value="decline" class="quiet">
    ${say('challenge.decline')}
  </button>`;

/** Page of a payment in progress, which refreshes automatically. */
export function processingPage({ path, isTest, locales }: Waiting): Page {
  const content = html`<section>
    <h1>${say('payment.processing')}</h1>
    <p>${say('payment.processingText')}</p>
    <p><a class="button quiet" href="${local(path)}">${say('payment.refresh')}</a></p>
  </section>`;
  const refresh = { seconds: 3, url: path };
  return { title: say('payment.processing'), content, isTest, refresh, locales };
}

/** Attempt of a challenge with the payer's answer; no answer if the bank asked. */
export function readAttempt(form: ReadonlyMap<string, string>): {
  attempt: number;
  approved: boolean | undefined;
} {
  const attempt = /^\d{1,6}$/.exec(form.get('attempt') ?? '')?.[0];
  const answer = form.get('answer');
  return {
    attempt: Number(attempt ?? 0),
    approved: answer === undefined ? undefined : answer === 'approve',
  };
}
