import { type FormPlace, postForm } from '../frame/form-fields';
import { html } from '../frame/html';
import type { Page } from '../frame/shell';

/** Context of a page during a payment. */
interface Waiting extends FormPlace {
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
    amount: string | undefined;
  },
): Page {
  const { path, isTest, formTargets = [] } = waiting;
  const isCharged = amount !== undefined;
  const title = isCharged ? 'Confirm your payment' : 'Confirm your card';
  const content = html`<section>
    <h1>${title}</h1>
    <p>
      Your bank asks you to confirm
      ${isCharged ? `the payment of ${amount}` : 'that later payments may be charged to your card'}
      (3-D Secure).
    </p>
    ${isOurs && html`<p class="hint">Test mode: choose an outcome.</p>`}
    ${postForm(waiting, '/challenge', [
      html`<input type="hidden" name="attempt" value="${String(attempt)}" />`,
      isOurs ? answers : html`<button type="submit">Continue to your bank</button>`,
    ])}
    <p class="aside"><a href="${path}?card=other">Use another card</a></p>
  </section>`;
  return { title, content, isTest, formTargets };
}

const answers = html`<button type="submit" name="answer" value="approve">Approve</button>
  <button type="submit" name="answer" value="decline" class="quiet">Decline</button>`;

/** Page of a payment in progress, which refreshes automatically. */
export function processingPage({ path, isTest }: Waiting): Page {
  const content = html`<section>
    <h1>Your payment is being processed</h1>
    <p>This takes a moment. The page refreshes automatically.</p>
    <p><a class="button quiet" href="${path}">Refresh</a></p>
  </section>`;
  const refresh = { seconds: 3, url: path };
  return { title: 'Your payment is being processed', content, isTest, refresh };
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
