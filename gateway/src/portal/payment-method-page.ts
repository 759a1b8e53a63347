import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import { dateText } from '@billing/documents/date-text';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { type CardEntry, cardForm, cardReady, type KeptTexts } from '../pages/payment/card-form';
import { type FormProblems, notice, postForm } from '../pages/frame/form-fields';
import { type Html, html, type HtmlValue } from '../pages/frame/html';
import type { Page } from '../pages/frame/shell';
import { cardScript } from '../pages/frame/payer-script';
import { expiryText, methodText } from '../text/method-text';
import type { Visit } from './route';
import { doneNotice, placeOf, portalPage } from './shell';

/** Data of the payment methods page. */
export interface Methods {
  readonly visit: Visit;
  readonly methods: readonly PaymentMethod[];
  readonly entry: CardEntry;
  readonly problems?: FormProblems | undefined;
  /** Texts of the refused form. */
  readonly kept?: KeptTexts | undefined;
  /** False if the refused form did not make the card the default. */
  readonly isDefault?: boolean;
  /** Reason why the last action was refused. */
  readonly refusal?: Text | undefined;
  readonly done?: unknown;
  /** Environment time. */
  readonly now: Date;
}

/** Path of the payment methods. */
export const methodsPath = '/portal/payment-methods';

/** Page of the saved cards, with a form to add one. */
export function methodsPage(page: Methods): Page {
  const { visit, methods, entry, problems, kept, isDefault = true, refusal, done, now } = page;
  const isFirst = methods.length === 0;
  const content = [
    html`<section>
      <h1>${say('portal.paymentMethods')}</h1>
      ${doneNotice(done)} ${refusal !== undefined && notice(say('failure.didNotWork'), refusal)}
      ${
        isFirst
          ? html`<p>${say('methods.none')}</p>`
          : html`<ul class="rows">
              ${methods.map((method) => row(visit, method, { methods, now }))}
            </ul>`
      }
    </section>`,
    html`<section aria-labelledby="add">
      <h2 id="add">${say('methods.add')}</h2>
      ${cardForm({
        place: placeOf(visit, methodsPath),
        label: say('methods.save'),
        entry,
        problems,
        kept,
        more: defaultChoice(isFirst, isDefault),
      })}
    </section>`,
  ];
  const isAccepted = problems === undefined && refusal === undefined;
  return {
    ...framed(visit, content, isAccepted ? 200 : 400),
    script: entry.kind === 'FORM' ? cardScript : undefined,
  };
}

/** Page that asks for confirmation before a card entered on the provider's page is saved. */
export function confirmMethodPage(visit: Visit, setupId: string, isFirst: boolean): Page {
  const place = placeOf(visit, methodsPath);
  const more = defaultChoice(isFirst, true);
  return framed(visit, [
    html`<h1>${say('portal.paymentMethods')}</h1>`,
    cardReady({ place, setupId, label: say('methods.save'), more }),
  ]);
}

/** Expiry of a card as a sentence; undefined if it is unknown. */
export function expiryNote(method: PaymentMethod, now: Date): Html | undefined {
  const expiry = expiryText(method, now);
  if (expiry === undefined) return undefined;
  const { text, isExpired } = expiry;
  return html`<span class="${isExpired ? 'bad' : ''}">${text}</span>`;
}

function row(
  visit: Visit,
  method: PaymentMethod,
  { methods, now }: Pick<Methods, 'methods' | 'now'>,
): Html {
  const { id, isDefault, createdAt } = method;
  const name = methodText(method);
  const place = placeOf(visit, `${methodsPath}/${id}`);
  const button = (text: Text) =>
    html`<button class="quiet small" type="submit">
      ${text}<span class="unseen"> ${name}</span>
    </button>`;
  // With several cards, the customer must choose a new default before removing the current one.
  const isRemovable = !isDefault || methods.length === 1;
  const removal = !isRemovable && say('methods.defaultFirst');
  return html`<li>
    <span>
      ${name} ${isDefault && html`<span class="status good">${say('methods.default')}</span>`}
      <span class="hint line">
        ${expiryNote(method, now)}
        ${createdAt !== undefined && say('methods.savedOn', { date: dateText(createdAt) })}
        ${isDefault && removal}
      </span>
    </span>
    <span class="actions">
      ${!isDefault && postForm(place, '/default', button(say('methods.makeDefault')))}
      ${isRemovable && postForm(place, '/remove', button(say('methods.remove')))}
    </span>
  </li>`;
}

function defaultChoice(isFirst: boolean, isChecked: boolean): Html {
  if (isFirst) return html`<p class="hint">${say('methods.openCharged')}</p>`;
  return html`<label class="choice">
    <input type="checkbox" name="default" value="yes" ${isChecked && html` checked`} />
    <span
      >${say('methods.useAsDefault')}<span class="hint">${say('methods.openCharged')}</span></span
    >
  </label>`;
}

function framed(visit: Visit, content: HtmlValue, status = 200): Page {
  return portalPage(visit, {
    title: say('portal.paymentMethods'),
    section: 'payment-methods',
    content,
    status,
  });
}
