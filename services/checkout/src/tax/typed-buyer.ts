import { addressOf, addressProblems } from '@billing/kernel/input/address';
import { customerProblems } from '@billing/kernel/input/customer';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  isTaxIdOf,
  type TaxId,
  taxIdOf,
  taxIdsProblems,
  taxIdTypeOf,
} from '@billing/kernel/tax/tax-id';
import type { InvoiceBuyer } from './finalization';

/** Facts that a payer typed on the page of a session; undefined: left empty. */
export interface TypedBuyer {
  readonly country?: string | undefined;
  readonly state?: string | undefined;
  readonly name?: string | undefined;
  readonly taxId?: string | undefined;
}

const noBuyer: InvoiceBuyer = {
  ...{ name: null, email: null, phone: null, address: null, taxIds: [], buyerReference: null },
};

/**
 * The buyer with what the payer typed where nothing is known; a known country, name or tax id of
 * the country stays. Throws the problems under the names of the fields.
 */
export function withTyped(buyer: InvoiceBuyer = noBuyer, typed: TypedBuyer): InvoiceBuyer {
  const country = buyer.address?.country ?? typed.country ?? null;
  const state = buyer.address?.state ?? stateOf(buyer, typed);
  const address = addressOf({ ...buyer.address, country, state });
  const name = buyer.name ?? typed.name ?? null;
  const taxIds = country === null ? buyer.taxIds : withTaxId(buyer, typed, country);
  const problems = addressProblems(address);
  const problemsAt = (part: string) =>
    problems.flatMap((text) => (text.startsWith(`${part}: `) ? [text.slice(part.length + 2)] : []));
  refuseProblems({
    country: country === null ? ['Required'] : problemsAt('country'),
    state: problemsAt('state'),
    name: customerProblems({ name: name ?? undefined }).name ?? [],
    taxId: taxIds === buyer.taxIds ? [] : taxIdsProblems(taxIds).map(withoutPlace),
  });
  return { ...buyer, address, name, taxIds };
}

/** Facts that the buyer has gained since; each is undefined if it was known or is still unknown. */
export function typedFacts(known: InvoiceBuyer = noBuyer, { address, name, taxIds }: InvoiceBuyer) {
  const added = <T>(before: T | null | undefined, after: T | null | undefined): T | undefined =>
    (before ?? null) === null ? (after ?? undefined) : undefined;
  const wasKnown = ({ type, value }: TaxId) =>
    known.taxIds.some((one) => one.type === type && one.value === value);
  return {
    country: added(known.address?.country, address?.country),
    state: added(known.address?.state, address?.state),
    name: added(known.name, name),
    taxId: taxIds.find((taxId) => !wasKnown(taxId)),
  };
}

// The state of a country that was known before is not asked for.
function stateOf({ address }: InvoiceBuyer, { state }: TypedBuyer): string | null {
  return (address?.country ?? null) === null ? (state ?? null) : null;
}

function withTaxId(
  { taxIds }: InvoiceBuyer,
  { taxId: value }: TypedBuyer,
  country: string,
): readonly TaxId[] {
  if (value === undefined || taxIds.some((taxId) => isTaxIdOf(taxId, country))) return taxIds;
  return [...taxIds, taxIdOf({ type: taxIdTypeOf(country), value })];
}

function withoutPlace(problem: string): string {
  return problem.replace(/^\d+\.value: /u, '');
}
