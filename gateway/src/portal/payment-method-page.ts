import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import { dateText } from '../text/date-text';
import { type CardEntry, cardForm, cardReady, type KeptTexts } from '../pages/payment/card-form';
import { type FormProblems, notice, postForm } from '../pages/frame/form-fields';
import { type Html, html, type HtmlValue } from '../pages/frame/html';
import type { Page } from '../pages/frame/shell';
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
  readonly refusal?: string | undefined;
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
      <h1>Payment methods</h1>
      ${doneNotice(done)} ${refusal !== undefined && notice('That did not work', refusal)}
      ${
        isFirst
          ? html`<p>No card is saved.</p>`
          : html`<ul class="rows">
              ${methods.map((method) => row(visit, method, { methods, now }))}
            </ul>`
      }
    </section>`,
    html`<section aria-labelledby="add">
      <h2 id="add">Add a card</h2>
      ${cardForm({
        place: placeOf(visit, methodsPath),
        label: 'Save card',
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
    hasScript: entry.kind === 'FORM',
  };
}

/** Page that asks for confirmation before a card entered on the provider's page is saved. */
export function confirmMethodPage(visit: Visit, setupId: string, isFirst: boolean): Page {
  const place = placeOf(visit, methodsPath);
  const more = defaultChoice(isFirst, true);
  return framed(visit, [
    html`<h1>Payment methods</h1>`,
    cardReady({ place, setupId, label: 'Save card', more }),
  ]);
}

/** Expiry of a card as a sentence; undefined if it is unknown. */
export function expiryNote(method: PaymentMethod, now: Date): Html | undefined {
  const expiry = expiryText(method, now);
  if (expiry === undefined) return undefined;
  const { text, isExpired } = expiry;
  return html`<span class="${isExpired ? 'bad' : ''}">It ${text}.</span>`;
}

function row(
  visit: Visit,
  method: PaymentMethod,
  { methods, now }: Pick<Methods, 'methods' | 'now'>,
): Html {
  const { id, isDefault, createdAt } = method;
  const name = methodText(method);
  const place = placeOf(visit, `${methodsPath}/${id}`);
  const button = (text: string) =>
    html`<button class="quiet small" type="submit">
      ${text}<span class="unseen"> ${name}</span>
    </button>`;
  // With several cards, the customer must choose a new default before removing the current one.
  const isRemovable = !isDefault || methods.length === 1;
  const removal = isRemovable ? '' : 'To remove this card, make another card the default first.';
  return html`<li>
    <span>
      ${name} ${isDefault && html`<span class="status good">Default</span>`}
      <span class="hint line">
        ${expiryNote(method, now)}
        ${createdAt === undefined ? '' : `Saved on ${dateText(createdAt)}. `}
        ${isDefault && removal}
      </span>
    </span>
    <span class="actions">
      ${!isDefault && postForm(place, '/default', button('Make default'))}
      ${isRemovable && postForm(place, '/remove', button('Remove'))}
    </span>
  </li>`;
}

function defaultChoice(isFirst: boolean, isChecked: boolean): Html {
  if (isFirst) return html`<p class="hint">Open invoices are charged to this card now.</p>`;
  return html`<label class="choice">
    <input type="checkbox" name="default" value="yes" ${isChecked && html` checked`} />
    <span>Use as default<span class="hint">Open invoices are charged to this card now.</span></span>
  </label>`;
}

function framed(visit: Visit, content: HtmlValue, status = 200): Page {
  return portalPage(visit, {
    title: 'Payment methods',
    section: 'payment-methods',
    content,
    status,
  });
}
