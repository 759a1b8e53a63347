import { textProblems } from '@billing/kernel/input-problems';
import type { Card } from '@billing/proto/billing/checkout/v1/payment';
import {
  type FormPlace,
  type FormProblems,
  notice,
  postForm,
  problemSummary,
  type TextField,
  textField,
} from '../frame/form-fields';
import type { Text } from '@billing/documents/reader';
import { type PhraseKey, say } from '@billing/documents/say';
import { type Html, html, type HtmlValue, local } from '../frame/html';

/** Way in which a payer enters a card. */
export type CardEntry =
  /** Our own form, which accepts only test cards. */
  | { readonly kind: 'FORM' }
  /** Page of the provider, created when the payer requests it. */
  | { readonly kind: 'REDIRECT' }
  /** Unavailable: no provider is configured. */
  | { readonly kind: 'NONE' };

/** Texts of a card form that are shown again after a refusal; nothing of the card is among them. */
export interface KeptTexts {
  /** Name on the card. */
  readonly name?: string | undefined;
}

/** Problems and texts of a form that was not accepted. */
export interface PaymentInput {
  readonly problems?: FormProblems | undefined;
  readonly kept?: KeptTexts | undefined;
  /** True if nothing was charged, because the payer was shown another amount. */
  readonly isAmountChanged?: boolean | undefined;
}

/** Parts around the fields of a card. */
export interface CardFormDependencies extends PaymentInput {
  readonly place: FormPlace;
  /** Label of the button. */
  readonly label: Text;
  readonly entry: CardEntry;
  /** True if the card may be left empty. */
  readonly isOptional?: boolean;
  /** Further controls above the button. */
  readonly more?: HtmlValue;
}

// Autocomplete names let browsers fill in the fields. The length leaves room for spaces between
// digits.
const number: TextField = {
  name: 'number',
  label: say('card.number'),
  autocomplete: 'cc-number',
  inputMode: 'numeric',
  lengthMax: 30,
};
const expiry: TextField = {
  name: 'expiry',
  label: say('card.expiry'),
  hint: say('card.expiryHint'),
  autocomplete: 'cc-exp',
  lengthMax: 9,
};
const code: TextField = {
  name: 'code',
  label: say('card.code'),
  hint: say('card.codeHint'),
  autocomplete: 'cc-csc',
  inputMode: 'numeric',
  lengthMax: 4,
};
const holder: TextField = {
  name: 'name',
  label: say('card.holder'),
  autocomplete: 'cc-name',
  lengthMax: 200,
  isOptional: true,
};

const fields = [number, expiry, code, holder];
const labels = Object.fromEntries(fields.map(({ name, label }) => [name, label]));

const amountChangedNotice = notice(say('card.totalChanged'), say('card.nothingCharged'));

/** Form for a card, or a button to the provider's page. A card is never shown again. */
export function cardForm({
  place,
  label,
  entry,
  isOptional = false,
  problems = {},
  kept = {},
  more,
  isAmountChanged = false,
}: CardFormDependencies): Html {
  switch (entry.kind) {
    case 'NONE':
      return html`<p>${say('card.unavailable')}</p>`;
    case 'REDIRECT':
      return html`${isAmountChanged && amountChangedNotice}
        <p>${say('card.atProvider')}</p>
        ${postForm(place, '/card/begin', html`<button type="submit">${say('card.toProvider')}</button>`)}`;
    case 'FORM':
      return html`${isAmountChanged && amountChangedNotice} ${problemSummary(problems, labels)}
      ${postForm(place, '', [
        textField({ ...number, isOptional }, problems),
        html`<div class="pair">${textField(expiry, problems)} ${textField(code, problems)}</div>`,
        textField({ ...holder, value: kept.name }, problems),
        more,
        html`<button type="submit">${label}</button>`,
      ])}
      ${testCards}`;
  }
}

/** Confirmation before a card entered on the provider's page is charged. */
export function cardReady({
  place,
  setupId,
  label,
  more,
}: Pick<CardFormDependencies, 'place' | 'label' | 'more'> & { readonly setupId: string }): Html {
  return html`<section>
    <h2>${say('card.ready')}</h2>
    ${postForm(place, '/card', [
      html`<input type="hidden" name="setup_id" value="${setupId}" />`,
      more,
      html`<button type="submit">${label}</button>`,
    ])}
    <p class="aside"><a href="${local(place.path)}">${say('card.useAnother')}</a></p>
  </section>`;
}

const shownAmount = 'amount';

/** Hidden field with the amount that a form shows. */
export function amountField(amount: bigint): Html {
  return html`<input type="hidden" name="${shownAmount}" value="${String(amount)}" />`;
}

/** Amount that a submitted form has shown; undefined if it names none. */
export function readAmount(form: ReadonlyMap<string, string>): bigint | undefined {
  const text = form.get(shownAmount) ?? '';
  return /^\d{1,15}$/.test(text) ? BigInt(text) : undefined;
}

/** Texts of a submitted form that may be shown again. */
export function readKept(form: ReadonlyMap<string, string>): KeptTexts {
  return { name: (form.get(holder.name) ?? '').trim().slice(0, holder.lengthMax) };
}

/** Reads the card of a submitted form, or the problems by field. */
export function readCard(
  form: ReadonlyMap<string, string>,
): Card | { readonly problems: FormProblems } {
  const value = ({ name }: TextField) => (form.get(name) ?? '').trim();
  const problems = Object.fromEntries(
    fields.flatMap((field) => {
      const { name, lengthMax, isOptional } = field;
      const messages = textProblems(value(field), { min: isOptional ? 0 : 1, max: lengthMax });
      return messages.length > 0 ? [[name, messages]] : [];
    }),
  );
  if (Object.keys(problems).length > 0) return { problems };
  const name = value(holder);
  return {
    number: value(number),
    expiry: value(expiry),
    code: value(code),
    name: name === '' ? undefined : name,
  };
}

/** True if all card fields are empty. */
export function isCardEmpty(form: ReadonlyMap<string, string>): boolean {
  return [number, expiry, code].every(({ name }) => (form.get(name) ?? '').trim() === '');
}

const listed: readonly (readonly [string, PhraseKey])[] = [
  ['4242 4242 4242 4242', 'testCard.succeeds'],
  ['5555 5555 5555 4444', 'testCard.succeedsMastercard'],
  ['4000 0025 0000 3155', 'testCard.challenge'],
  ['4000 0084 0000 1629', 'testCard.challengeDeclined'],
  ['4000 0000 0000 0002', 'testCard.declined'],
  ['4000 0000 0000 9995', 'testCard.insufficientFunds'],
  ['4000 0000 0000 0119', 'testCard.processingError'],
  ['4000 0000 0000 0069', 'testCard.expired'],
  ['4000 0000 0000 9987', 'testCard.lost'],
  ['4000 0000 0000 9979', 'testCard.stolen'],
  ['4000 0000 0000 0341', 'testCard.laterFails'],
  ['4000 0000 0000 5126', 'testCard.renewalFails'],
  ['4000 0000 0000 0077', 'testCard.belowMinimum'],
  ['4000 0000 0000 7726', 'testCard.refunded'],
  ['4000 0000 0000 5134', 'testCard.notRefundable'],
  ['4000 0000 0000 0259', 'testCard.disputeLost'],
  ['4000 0000 0000 2685', 'testCard.disputeWon'],
];

const testCards = html`<details class="unprinted">
  <summary>${say('card.testCards')}</summary>
  <p class="hint">${say('card.testCardsHint')}</p>
  <table>
    <thead>
      <tr>
        <th scope="col">${say('card.testNumber')}</th>
        <th scope="col">${say('card.testEffect')}</th>
      </tr>
    </thead>
    <tbody>
      ${listed.map(
        ([card, effect]) =>
          html`<tr>
            <th scope="row">${card}</th>
            <td>${say(effect)}</td>
          </tr>`,
      )}
    </tbody>
  </table>
</details>`;
