import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { meterProblems } from '@billing/kernel/input/meter';
import type { Transition } from '@billing/kernel/transition';
import type { Aggregation } from './aggregation';

/** Something that is counted. */
export interface Meter {
  readonly id: string;
  readonly name: string;
  readonly aggregation: Aggregation;
  /** The event property whose values are counted; of UNIQUE_COUNT alone. */
  readonly uniqueProperty: string | null;
  /** What one unit is called, for people. */
  readonly unit: string | null;
  /** Whether it takes events. */
  readonly active: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Set before the first event is stored: from then on the aggregation stays as it is. */
  readonly inUse: boolean;
  /** A deleted meter takes no events; what it has recorded is still billed. */
  readonly deletedAt: Date | null;
}

/** A meter as it was sent. */
export interface MeterInput {
  readonly name: string;
  /** Absent: SUM. UNKNOWN: one that this version does not know. */
  readonly aggregation?: Aggregation | 'UNKNOWN' | undefined;
  readonly uniqueProperty?: string | undefined;
  readonly unit?: string | undefined;
  /** Absent: true. */
  readonly active?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What is to change about a meter: a field that is absent stays, one that is null is cleared. */
export interface MeterChanges {
  readonly name?: string | null;
  readonly aggregation?: Aggregation | 'UNKNOWN' | null;
  readonly uniqueProperty?: string | null;
  readonly unit?: string | null;
  readonly active?: boolean | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** Metadata is checked alike by all services. */
export interface MeterFindings {
  readonly metadataProblems: readonly string[];
}

/** A new meter. Refuses the input once, for everything that is wrong with it. */
export function createMeter(
  input: MeterInput,
  { id, metadataProblems }: MeterFindings & { readonly id: string },
): Meter {
  const { aggregation = 'SUM' } = input;
  refuseProblems({ ...meterProblems(input), metadata: metadataProblems });
  if (aggregation === 'UNKNOWN') throw new Error('The aggregation was not checked');
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
 * The meter after a change: what a creation with its fields would make of them. The very same meter where nothing differs. A property
 * that another aggregation has no use for goes with the old one.
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

/** Takes no more events. */
export function deleteMeter(meter: Meter, now: Date): Transition<Meter> {
  requireKnown(meter);
  return { state: { ...meter, deletedAt: now }, events: [], commands: [] };
}

/** Fixes what is counted, because an event is about to be stored. */
export function useMeter(meter: Meter): Transition<Meter> {
  return { state: meter.inUse ? meter : { ...meter, inUse: true }, events: [], commands: [] };
}

/** Refuses a deleted meter as unknown. */
export function requireKnown(meter: Meter): void {
  if (meter.deletedAt !== null) throw notFound('Meter');
}

/** Whether a part of its name is the text, without regard to case. */
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
