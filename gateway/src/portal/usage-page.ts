import { Decimal } from '@billing/kernel/decimal';
import type { UsageState } from '@billing/proto/billing/metering/v1/metering';
import { amountText, quantityText } from '../text/amount-text';
import { periodText } from '../text/date-text';
import { present } from '../http/answer';
import { type Html, html } from '../pages/frame/html';
import type { Page } from '../pages/frame/shell';
import type { Visit } from './route';
import { portalPage } from './shell';

/** Page of the usage in the current periods, with remaining included and prepaid units. */
export function usagePage(visit: Visit, states: readonly UsageState[]): Page {
  const content = [html`<h1>Usage</h1>`, states.length === 0 ? nothing : states.map(meterCard)];
  return portalPage(visit, { title: 'Usage', section: 'usage', content });
}

/** Text in place of an estimate that exceeds the maximum invoice amount. */
export const tooMuchText = 'over the maximum invoice amount';

const none = Decimal.of(0n);

const nothing = html`<section>
  <p>Your plan has no usage-based charges.</p>
</section>`;

function meterCard(state: UsageState, index: number): Html {
  const { meterName, unit, usage, periodStart: start, periodEnd: end } = state;
  const id = `meter-${String(index)}`;
  const units = unit ?? 'units';
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${meterName}</h2>
    <p class="hint">${periodText({ start: present(start), end: present(end) })}</p>
    ${hasUnits(state.includedUnits) ? includedBar(state, id, units) : html`<p>${quantityText(usage)} ${units}</p>`}
    ${hasUnits(state.creditsGranted) && credits(state, units)} ${beyond(state, units)}
  </section>`;
}

function includedBar({ usage, includedUnits }: UsageState, id: string, units: string): Html {
  return html`<p>${quantityText(usage)} of ${quantityText(includedUnits)} ${units} included</p>
    <progress max="${includedUnits}" value="${usage}" aria-labelledby="${id}"></progress>`;
}

function credits({ creditsRemaining, creditsGranted }: UsageState, units: string): Html {
  return html`<p>
    Prepaid credits: <strong>${quantityText(creditsRemaining)}</strong> of
    ${quantityText(creditsGranted)} ${units} left
  </p>`;
}

function beyond(
  { overage, includedUnits, creditsGranted, estimatedAmount, currency }: UsageState,
  units: string,
): Html | undefined {
  const isPriced = currency !== undefined;
  const cost = isPriced && costSoFar(estimatedAmount, currency);
  if (hasUnits(overage) && (hasUnits(includedUnits) || hasUnits(creditsGranted))) {
    return html`<p>
      Additional usage: ${quantityText(overage)} ${units}${isPriced && html`, ${cost}`}
    </p>`;
  }
  return isPriced && estimatedAmount !== 0n ? html`<p>Cost: ${cost}</p>` : undefined;
}

function costSoFar(estimate: bigint | undefined, currency: string): Html | string {
  if (estimate === undefined) return tooMuchText;
  return html`about <strong>${amountText(estimate, currency)}</strong> so far`;
}

function hasUnits(quantity: string): boolean {
  return Decimal.parse(quantity).compare(none) > 0;
}
