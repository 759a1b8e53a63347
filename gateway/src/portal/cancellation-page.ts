import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { SubscriptionPhase } from '@billing/proto/billing/subscription/v1/subscription';
import { dateText } from '@billing/documents/date-text';
import { present } from '../http/answer';
import { postForm } from '../pages/frame/form-fields';
import { say } from '@billing/documents/say';
import { html, local } from '../pages/frame/html';
import { sayHtml } from '../pages/frame/say-html';
import type { Page } from '../pages/frame/shell';
import type { Visit } from './route';
import { placeOf, portalPage } from './shell';

/** Page that asks for confirmation of a cancellation. */
export function cancellationPage(
  visit: Visit,
  { subscription, productName }: Plan,
  {
    hasUsagePrices,
  }: {
    /** The invoice after the end then bills usage. */
    readonly hasUsagePrices: boolean;
  },
): Page {
  const { id, phase, startAt, currentPeriodEnd } = present(subscription);
  const isScheduled = phase === SubscriptionPhase.SUBSCRIPTION_PHASE_SCHEDULED;
  const content = html`<section>
    <h1>${say('cancel.title', { product: productName })}</h1>
    ${
      isScheduled
        ? html`<p>
            ${sayHtml('cancel.scheduled', { date: html`<strong>${dateText(present(startAt))}</strong>` })}
          </p>`
        : html`<p>
              ${sayHtml('cancel.running', { date: html`<strong>${dateText(present(currentPeriodEnd))}</strong>` })}
            </p>
            ${hasUsagePrices && html`<p class="hint">${say('cancel.usage')}</p>`}`
    }
    ${postForm(
      placeOf(visit, `/portal/subscriptions/${id}`),
      '/cancel',
      html`<button class="danger" type="submit">
        ${say(isScheduled ? 'cancel.now' : 'cancel.atEnd')}
      </button>`,
    )}
    <p class="aside">
      <a class="button quiet" href="${local('/portal')}">${say('overview.keepSubscription')}</a>
    </p>
  </section>`;
  const title = say('cancel.pageTitle', { product: productName });
  return portalPage(visit, { title, section: 'overview', content });
}
