import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { meterProblems } from '@billing/kernel/input/meter';
import type { Transition } from '@billing/kernel/transition';
import type { Aggregation } from './aggregation';

/** A kind of usage that is counted. */
export interface Meter {
  readonly id: string;
  readonly name: string;
  readonly aggregation: Aggregation;
  /** Event property whose distinct values are counted; UNIQUE_COUNT only. */
  readonly uniqueProperty: string | null;
  /** Display name of one unit. */
  readonly unit: string | null;
  /** False: events are refused. */
  readonly active: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Set before the first event is stored; from then on the aggregation is fixed. */
  readonly inUse: boolean;
  /** A deleted meter accepts no events; its recorded usage is still billed. */
  readonly deletedAt: Date | null;
}

/** Meter fields as sent by the caller. */
export interface MeterInput {
  readonly name: string;
  /** Absent: SUM. UNKNOWN: a value that this version does not know. */
  readonly aggregation?: Aggregation | 'UNKNOWN' | undefined;
  readonly uniqueProperty?: string | undefined;
  readonly unit?: string | undefined;
  /** Absent: true. */
  readonly active?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes to a meter: an absent field stays, null clears it. */
export interface MeterChanges {
  readonly name?: string | null;
  readonly aggregation?: Aggregation | 'UNKNOWN' | null;
  readonly uniqueProperty?: string | null;
  readonly unit?: string | null;
  readonly active?: boolean | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** Results of the metadata check that all services share. */
export interface MeterFindings {
  readonly metadataProblems: readonly string[];
}

/** Creates a meter. Reports all invalid fields in one error. */
export function createMeter(
  input: MeterInput,
  { id, metadataProblems }: MeterFindings & { readonly id: string },
): Meter {
  const { aggregation = 'SUM' } = input;
  refuseProblems({ ...meterProblems(input), metadata: metadataProblems });
  if (aggregation === 'UNKNOWN') throw new Error('Unvalidated aggregation');
  return {
    id,
    name: input.name,
    aggregation,
    uniqueProperty: input.uniqueProperty ?? null,
    unit: input.unit ?? null,
    active: input.active ?? true,
    metadata: input.metadata ?? {},
    inUse: false,
    deletedAt: null,
  };
}

/**
 * Applies changes with the rules of createMeter; returns the same meter if nothing differs. A new
 * aggregation clears the property that it does not use.
 */
export function changeMeter(
  meter: Meter,
  changes: MeterChanges,
  { metadataProblems }: MeterFindings,
): Meter {
  requireKnown(meter);
  refuseProblems({ active: changes.active === null ? ['Required'] : [] });
  const after = { ...meter, ...changes };
  const aggregation = after.aggregation ?? 'SUM';
  const losesProperty = aggregation !== 'UNIQUE_COUNT' && !('uniqueProperty' in changes);
  const created = createMeter(
    {
      name: after.name ?? '',
      aggregation,
      uniqueProperty: losesProperty ? undefined : (after.uniqueProperty ?? undefined),
      unit: after.unit ?? undefined,
      active: after.active ?? undefined,
      metadata: after.metadata ?? undefined,
    },
    { id: meter.id, metadataProblems },
  );
  if (meter.inUse) refuseOtherCount(meter, created);
  const changed = { ...created, inUse: meter.inUse, deletedAt: meter.deletedAt };
  return isSameData(meter, changed) ? meter : changed;
}

/** Deletes the meter: it accepts no more events. */
export function deleteMeter(meter: Meter, now: Date): Transition<Meter> {
  requireKnown(meter);
  return { state: { ...meter, deletedAt: now }, events: [], commands: [] };
}

/** Fixes the aggregation, because an event is about to be stored. No event announces it. */
export function markInUse(meter: Meter): Transition<Meter> {
  const state = meter.inUse ? meter : { ...meter, inUse: true };
  return { state, events: [], commands: [], isHidden: true };
}

/** Throws "not found" for a deleted meter. */
export function requireKnown(meter: Meter): void {
  if (meter.deletedAt !== null) throw notFound('Meter');
}

/** True if the name contains the text, ignoring case. */
export function isNamed({ name }: Meter, search: string): boolean {
  return name.toLowerCase().includes(search.toLowerCase());
}

function refuseOtherCount(before: Meter, after: Meter): void {
  const message = ['Cannot be changed once an event exists'];
  if (before.aggregation !== after.aggregation) throw invalidInput({ aggregation: message });
  if (before.uniqueProperty !== after.uniqueProperty) {
    throw invalidInput({ uniqueProperty: message });
  }
}
