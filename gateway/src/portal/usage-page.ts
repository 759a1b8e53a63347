import { Decimal } from '@billing/kernel/decimal';
import type { UsageState } from '@billing/proto/billing/metering/v1/metering';
import { amountText, quantityText } from '@billing/documents/amount-text';
import { periodText } from '@billing/documents/date-text';
import { present } from '../http/answer';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { type Html, html } from '../pages/frame/html';
import { sayHtml } from '../pages/frame/say-html';
import type { Page } from '../pages/frame/shell';
import type { Visit } from './route';
import { portalPage } from './shell';

/** Page of the usage in the current periods, with remaining included and prepaid units. */
export function usagePage(visit: Visit, states: readonly UsageState[]): Page {
  const content = [
    html`<h1>${say('portal.usage')}</h1>`,
    states.length === 0 ? nothing : states.map(meterCard),
  ];
  return portalPage(visit, { title: say('portal.usage'), section: 'usage', content });
}

/** Text in place of an estimate that exceeds the maximum invoice amount. */
export const tooMuchText = say('usagePage.tooMuch');

const none = Decimal.of(0n);

const nothing = html`<section>
  <p>${say('usagePage.none')}</p>
</section>`;

function meterCard(state: UsageState, index: number): Html {
  const { meterName, unit, usage, periodStart: start, periodEnd: end } = state;
  const id = `meter-${String(index)}`;
  const units = unit ?? say('usagePage.units');
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${meterName}</h2>
    <p class="hint">${periodText({ start: present(start), end: present(end) })}</p>
    ${hasUnits(state.includedUnits) ? includedBar(state, id, units) : html`<p>${say('usagePage.amount', { quantity: quantityText(usage), units })}</p>`}
    ${hasUnits(state.creditsGranted) && credits(state, units)} ${beyond(state, units)}
  </section>`;
}

function includedBar({ usage, includedUnits }: UsageState, id: string, units: Text): Html {
  return html`<p>
      ${say('usagePage.included', { quantity: quantityText(usage), included: quantityText(includedUnits), units })}
    </p>
    <progress max="${includedUnits}" value="${usage}" aria-labelledby="${id}"></progress>`;
}

function credits({ creditsRemaining, creditsGranted }: UsageState, units: Text): Html {
  return html`<p>
    ${sayHtml('usagePage.credits', {
      remaining: html`<strong>${quantityText(creditsRemaining)}</strong>`,
      granted: quantityText(creditsGranted),
      units,
    })}
  </p>`;
}

function beyond(
  { overage, includedUnits, creditsGranted, estimatedAmount, currency }: UsageState,
  units: Text,
): Html | undefined {
  const isPriced = currency !== undefined;
  const cost = isPriced ? costSoFar(estimatedAmount, currency) : undefined;
  if (hasUnits(overage) && (hasUnits(includedUnits) || hasUnits(creditsGranted))) {
    const more = { quantity: quantityText(overage), units };
    return html`<p>
      ${cost === undefined ? say('usagePage.additional', more) : sayHtml('usagePage.additionalCost', { ...more, cost })}
    </p>`;
  }
  if (cost === undefined || estimatedAmount === 0n) return undefined;
  return html`<p>${sayHtml('usagePage.cost', { cost })}</p>`;
}

function costSoFar(estimate: bigint | undefined, currency: string): Html | Text {
  if (estimate === undefined) return tooMuchText;
  const amount = html`<strong>${amountText(estimate, currency)}</strong>`;
  return html`${sayHtml('usagePage.aboutSoFar', { amount })}`;
}

function hasUnits(quantity: string): boolean {
  return Decimal.parse(quantity).compare(none) > 0;
}
