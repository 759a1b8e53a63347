import { invoicesAreAnnounced } from './announced-invoices';
import { balancesAddUp } from './balances';
import {
  changesEndWithTheirInvoices,
  changesFollowEachOther,
  numbersAreUnique,
  periodsAreBilledOnce,
} from './change/changes';
import { creditsAreCharged } from './change/charges';
import { creditsStayWithin, refundsStayWithin } from './credits';
import { documentsStay } from './documents';
import { erasedCustomersLeaveNothing } from './erasure';
import { exportsAreConsistent } from './exports';
import { eventsHaveOneContent, feedIsWhole } from './feed';
import type { Invariant } from './picture/invariant';
import { environmentsAreApart } from './isolation';
import { mailsSpeakEveryLanguage } from './mail/mail-languages';
import { mailsStayInside } from './mail/mail-secrets';
import { mailsFollowEvents } from './mail/mails';
import { amountsAddUp, chargesAreRecordedOnce, paidOnce, statusFollowsDebt } from './money';
import { billedEachPeriod } from './periods';
import type { Picture } from './picture/picture';
import { referencesExist } from './references';
import { redemptionsAreLimited, sessionsEndTogether } from './redemptions';
import { sequencesAreWhole } from './sequences';
import { taxesFollowTheirRates } from './taxes';
import {
  acknowledgedEventsExistOnce,
  closedCreditsAddUp,
  creditsAreConserved,
  eventsAreInTotals,
  eventsCountOnce,
  totalsAddUp,
} from './usage/events';
import { statesCountEvents } from './usage/states';
import { bodiesRepeatScalars } from './webhook-bodies';
import { webhooksArrive } from './webhooks/arrival';
import { nothingIsPending, numbersHaveNoGaps, writesAreDurable } from './writes';

/** All invariants of the product. */
export const invariants: readonly Invariant[] = [
  amountsAddUp,
  billedEachPeriod,
  redemptionsAreLimited,
  eventsCountOnce,
  creditsAreConserved,
  paidOnce,
  sessionsEndTogether,
  sequencesAreWhole,
  webhooksArrive,
  feedIsWhole,
  eventsHaveOneContent,
  bodiesRepeatScalars,
  invoicesAreAnnounced,
  mailsFollowEvents,
  mailsStayInside,
  exportsAreConsistent,
  mailsSpeakEveryLanguage,
  writesAreDurable,
  nothingIsPending,
  numbersHaveNoGaps,
  environmentsAreApart,
  changesFollowEachOther,
  creditsAreCharged,
  changesEndWithTheirInvoices,
  statesCountEvents,
  eventsAreInTotals,
  totalsAddUp,
  acknowledgedEventsExistOnce,
  closedCreditsAddUp,
  taxesFollowTheirRates,
  documentsStay,
  statusFollowsDebt,
  balancesAddUp,
  creditsStayWithin,
  refundsStayWithin,
  numbersAreUnique,
  periodsAreBilledOnce,
  chargesAreRecordedOnce,
  referencesExist,
  erasedCustomersLeaveNothing,
];

/** One line of the report. */
export interface Verdict {
  readonly id: string;
  readonly title: string;
  /** Undefined if the reachable facts do not suffice for a check. */
  readonly examined: number | undefined;
  readonly findings: readonly string[];
  /** Parts that the reachable facts do not show, although others were checked. */
  readonly unseen: readonly string[];
}

export function examineAll(picture: Picture): Verdict[] {
  return invariants.map((invariant) => {
    const { id, title } = invariant;
    const examination = invariant.examine(picture);
    return {
      id,
      title,
      examined: examination?.examined,
      findings: examination?.findings ?? [],
      unseen: examination?.unseen ?? [],
    };
  });
}

export function findingsOf(verdicts: readonly Verdict[]): string[] {
  return verdicts.flatMap(({ id, findings }) => findings.map((finding) => `${id} ${finding}`));
}

// Limits the output of a flood of findings.
const findingsShownMax = 20;

export function toTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ id, title, examined, findings }) =>
    [
      id.padEnd(4),
      (examined === undefined ? 'unseen' : String(examined)).padStart(8),
      String(findings.length).padStart(9),
      `  ${title}`,
    ].join(''),
  );
  const findings = findingsOf(verdicts);
  const more = findings.length - findingsShownMax;
  const unseen = verdicts.flatMap((one) => one.unseen.map((part) => `? ${one.id} unseen: ${part}`));
  return [
    `${'id'.padEnd(4)}examined findings  invariant`,
    ...rows,
    ...unseen,
    ...findings.slice(0, findingsShownMax).map((finding) => `! ${finding}`),
    ...(more > 0 ? [`! and ${String(more)} more`] : []),
  ].join('\n');
}
