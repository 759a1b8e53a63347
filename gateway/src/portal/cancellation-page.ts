import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { SubscriptionPhase } from '@billing/proto/billing/subscription/v1/subscription';
import { dateText } from '../text/date-text';
import { present } from '../http/answer';
import { postForm } from '../pages/frame/form-fields';
import { html } from '../pages/frame/html';
import type { Page } from '../pages/frame/shell';
import type { Visit } from './route';
import { placeOf, portalPage } from './shell';

/** Page that asks for confirmation of a cancellation. */
export function cancellationPage(visit: Visit, { subscription, productName }: Plan): Page {
  const { id, phase, startAt, currentPeriodEnd } = present(subscription);
  const isScheduled = phase === SubscriptionPhase.SUBSCRIPTION_PHASE_SCHEDULED;
  const content = html`<section>
    <h1>Cancel ${productName}?</h1>
    ${
      isScheduled
        ? html`<p>
            Your subscription has not started yet. If you cancel now, it will not start on
            <strong>${dateText(present(startAt))}</strong>, and you are charged nothing. This cannot
            be undone.
          </p>`
        : html`<p>
              You keep access until <strong>${dateText(present(currentPeriodEnd))}</strong>. Your
              subscription does not renew. You can undo the cancellation until then.
            </p>
            <p class="hint">Usage beyond what is included is still billed.</p>`
    }
    ${postForm(
      placeOf(visit, `/portal/subscriptions/${id}`),
      '/cancel',
      html`<button class="danger" type="submit">
        ${isScheduled ? 'Cancel now' : 'Cancel at the end of the period'}
      </button>`,
    )}
    <p class="aside"><a class="button quiet" href="/portal">Keep subscription</a></p>
  </section>`;
  return portalPage(visit, { title: `Cancel ${productName}`, section: 'overview', content });
}
